/**
 * Bounds memory that clients occupy for as long as they like: bodies that they have not sent completely, answers that they have not read.
 * Each tenant (an account, or the network of a client without one) has a part of it, so nobody can use it up alone.
 */
export class ByteBudget {
  readonly #most: { all: number; ofOne: number }
  #bytes = 0
  readonly #byTenant = new Map<string, number>()

  constructor(most: { all: number; ofOne: number }) {
    this.#most = most
  }

  /** Reserves `bytes` for the tenant; false if there are not so many left. What is reserved has to be returned. */
  reserve(tenant: string, bytes: number): boolean {
    const own = (this.#byTenant.get(tenant) ?? 0) + bytes
    if (this.#bytes + bytes > this.#most.all || own > this.#most.ofOne) return false
    this.#bytes += bytes
    this.#byTenant.set(tenant, own)
    return true
  }

  /** Returns bytes that were reserved. */
  return(tenant: string, bytes: number): void {
    this.#bytes -= bytes
    const own = (this.#byTenant.get(tenant) ?? 0) - bytes
    if (own > 0) this.#byTenant.set(tenant, own)
    else this.#byTenant.delete(tenant)
  }
}
