/**
 * What a slice keeps in memory for a service: one per `of`, made at first use and garbage collected with it. A process
 * may run several services (tests do), so slices keep no such state in module variables.
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
