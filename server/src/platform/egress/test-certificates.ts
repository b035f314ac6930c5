import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

/** A certificate with its key, both PEM. Each test run makes new ones, so that none is in the repository or expires. */
export type TestCertificate = { cert: string; key: string; name: string }

const DAY_MS = 86_400_000
const ECDSA_WITH_SHA256 = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'))

/** Issues a certificate for the given host names and addresses, by default self-signed and valid since yesterday. */
export function issueCertificate(options: {
  name: string
  hosts?: string[]
  issuer?: TestCertificate
  isAuthority?: boolean
  expired?: boolean
}): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = options.issuer ?? { name: options.name, key: pem(privateKey) }
  const lastDay = Date.now() + (options.expired ? -2 : 2) * DAY_MS
  const body = der(
    0x30,
    der(0xa0, Buffer.from('020102', 'hex')),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    commonName(issuer.name),
    der(0x30, time(lastDay - 4 * DAY_MS), time(lastDay)),
    commonName(options.name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, ...extensions(options.hosts ?? [], options.isAuthority ?? false))),
  )
  const signature = sign('sha256', body, createPrivateKey(issuer.key))
  const certificate = der(0x30, body, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature))
  const cert = `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`
  return { cert, key: pem(privateKey), name: options.name }
}

function extensions(hosts: string[], isAuthority: boolean): Buffer[] {
  const result: Buffer[] = []
  if (isAuthority) {
    const isTrue = Buffer.from('0101ff', 'hex')
    result.push(der(0x30, Buffer.from('0603551d13', 'hex'), isTrue, der(0x04, der(0x30, isTrue))))
  }
  if (hosts.length > 0) {
    const names = hosts.map((host) =>
      isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host)),
    )
    result.push(der(0x30, Buffer.from('0603551d11', 'hex'), der(0x04, der(0x30, ...names))))
  }
  return result
}

function commonName(name: string): Buffer {
  return der(0x30, der(0x31, der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(name)))))
}

function time(atMs: number): Buffer {
  const digits = new Date(atMs)
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/\D/g, '')
  return der(0x18, Buffer.from(`${digits}Z`))
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** One DER element: tag, length, content. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const bytes = Buffer.concat(content)
  if (bytes.length < 0x80) return Buffer.concat([Buffer.from([tag, bytes.length]), bytes])
  const length = bytes.length > 0xff ? [0x82, bytes.length >> 8, bytes.length & 0xff] : [0x81, bytes.length]
  return Buffer.concat([Buffer.from([tag, ...length]), bytes])
}
