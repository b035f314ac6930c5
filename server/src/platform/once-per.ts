import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * What a slice keeps in memory for a service: one per `of`, made at first use and garbage collected with it. A process
 * may run several services (tests do), so slices keep no such state in module variables. It is made outside the async context
 * of the first request that needs it: what lasts belongs to no request.
 */
export function oncePer<Of extends object, Kept>(create: (of: Of) => Kept): (of: Of) => Kept {
  const outside = AsyncLocalStorage.snapshot()
  const kept = new WeakMap<Of, Kept>()
  return (of) => {
    const known = kept.get(of)
    if (known !== undefined) return known
    const made = outside(create, of)
    kept.set(of, made)
    return made
  }
}
