import { parseAccept } from 'hono/utils/accept'

/** The first of `available` that `Accept-Encoding` names with a weight above zero; otherwise `identity`. */
export function chooseEncoding<Encoding extends string>(
  accepted: string | null,
  available: readonly Encoding[],
): Encoding | 'identity' {
  const named = new Set(parseAccept(accepted ?? '').flatMap(({ type, q }) => (q > 0 ? [type.toLowerCase()] : [])))
  return available.find((encoding) => named.has(encoding)) ?? 'identity'
}
