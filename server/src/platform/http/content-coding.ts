/** The first of `available` that `Accept-Encoding` names with a weight above zero; otherwise `identity`. */
export function chooseEncoding<Encoding extends string>(
  accepted: string | undefined,
  available: readonly Encoding[],
): Encoding | 'identity' {
  const named = (accepted ?? '').split(',').flatMap((entry) => {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [name]
  })
  return available.find((encoding) => named.includes(encoding)) ?? 'identity'
}
