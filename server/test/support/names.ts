import type { EgressOptions } from '../../src/platform/egress/egress.ts'

/** Tests ask no resolver: every name is unknown. */
export const unknownName: NonNullable<EgressOptions['lookup']> = (hostname, _options, callback) => {
  callback(Object.assign(new Error(`${hostname} is unknown`), { code: 'ENOTFOUND' }), [])
}
