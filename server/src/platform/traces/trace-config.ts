/** The configuration for traces. The variables are OpenTelemetry's own, so that operators know them. */
import { compileAllow, OPERATORS_NETWORKS } from '../egress/addresses.ts'
import { checkUrl } from '../egress/target.ts'
import { parseHeaderValue } from '../header-value.ts'

/** How spans are encoded: as Protocol Buffers, or as JSON. */
export const OTLP_PROTOCOLS = ['http/protobuf', 'http/json'] as const
export type OtlpProtocol = (typeof OTLP_PROTOCOLS)[number]

/** Where traces go. `url` is the collector's address for traces; `share` (0 to 1) of the traces begun here is recorded. */
export type TraceConfig = {
  url: string
  headers: Record<string, string>
  protocol: OtlpProtocol
  serviceName: string
  share: number
}

const NETWORKS = compileAllow(OPERATORS_NETWORKS)

/** The address for traces beneath a collector's base address. Throws for an address that could never be called. */
export function parseOtlpEndpoint(text: string): string {
  const verdict = checkUrl(text, NETWORKS)
  if (!verdict.ok) throw new Error(`cannot be called: ${verdict.reason}`)
  if (/\/v1\/traces\/*$/.test(text)) throw new Error("must be the collector's base address, without /v1/traces")
  return `${new URL(text).href.replace(/\/+$/, '')}/v1/traces`
}

/** `name=value,name=value`, values percent-encoded (OpenTelemetry, "Specifying headers via environment variables"). */
export function parseOtlpHeaders(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').map((entry) => {
      const [, name, value] = /^\s*([\w-]+)\s*=\s*([\x21-\x7e][\x20-\x7e]*)$/.exec(entry) ?? []
      if (name === undefined || value === undefined)
        throw new Error('must look like authorization=Bearer%20token; separate several with commas')
      return [name.toLowerCase(), parseHeaderValue(decodeURIComponent(value.trim()))]
    }),
  )
}

/** A number from 0 to 1. */
export function parseShare(text: string): number {
  if (!/^(0(\.\d+)?|1(\.0+)?)$/.test(text)) throw new Error(`"${text}" is not a share; write a number from 0 to 1`)
  return Number(text)
}
