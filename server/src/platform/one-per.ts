/**
 * What a slice keeps in memory for a service: made at first use, one for each `of`, gone with it. A process may run
 * several services (tests do), so nothing is kept beside them.
 */
export function onePer<Of extends object, Kept>(create: (of: Of) => Kept): (of: Of) => Kept {
  const kept = new WeakMap<Of, Kept>()
  return (of) => {
    const known = kept.get(of)
    if (known !== undefined) return known
    const made = create(of)
    kept.set(of, made)
    return made
  }
}
