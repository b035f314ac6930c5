import net from 'node:net'
import tls from 'node:tls'
import type { Allowed } from './addresses.ts'
import { EgressError } from './failure.ts'
import type { Resolve } from './resolve.ts'
import { type Target, vetAddress, vetAddresses } from './target.ts'

/** Calls back once, with a connected and vetted socket or with an error. */
type Dialled = (error: unknown, socket?: net.Socket) => void

/** Opens a socket towards a target; the returned function gives up (and then nothing is called back). */
export type Dial = (target: Target, allowed: Allowed, done: Dialled) => () => void

/** How long one of several addresses may take before it is given up for the next; the last one has no such limit. */
const NEXT_ADDRESS_AFTER_MS = 500

/** A name with more addresses than this is tried on its first ones; all of them are vetted. */
const MAX_ADDRESSES_TRIED = 8

/**
 * Makes the only function that opens sockets: resolve, vet every address, connect to those very addresses (the name is
 * never resolved a second time), vet the peer's address once more, then TLS with the original name.
 * `tlsCa` (PEM) is trusted besides the usual authorities.
 */
export function createDial(resolve: Resolve, tlsCa?: string): Dial {
  let secureContext: tls.SecureContext | undefined
  const trust = () => {
    // Built once: loading the authorities takes milliseconds, and tls.connect would do it for every socket.
    secureContext ??= tls.createSecureContext(
      tlsCa === undefined ? {} : { ca: [...tls.getCACertificates('default'), tlsCa] },
    )
    return secureContext
  }

  return (target, allowed, done) => {
    let givenUp = false
    let giveUp = () => {}
    const connect = (found: string[]) => {
      const vetted = vetAddresses(target, found, allowed)
      if (!vetted.ok) return done(new EgressError('blocked_address', vetted.reason))
      try {
        giveUp = openSocket({ target, allowed, addresses: vetted.addresses, secureContext: trust }, done)
      } catch (error) {
        done(error)
      }
    }
    if (target.addresses !== undefined) connect(target.addresses)
    else {
      resolve(target.hostname, (error, addresses) => {
        if (givenUp) return
        if (error !== undefined) return done(error)
        connect(addresses)
      })
    }
    return () => {
      givenUp = true
      giveUp()
    }
  }
}

/**
 * Connects to one of the given addresses. It does not rely on their having been vetted: a peer that is not allowed is
 * dropped before a byte is written to it, even of the TLS handshake. The returned function gives up.
 */
export function openSocket(
  plan: { target: Target; allowed: Allowed; addresses: string[]; secureContext: () => tls.SecureContext },
  done: Dialled,
): () => void {
  const { target, allowed } = plan
  // Cleared once called: the listeners below stay and would otherwise retain the request that the socket was opened for.
  let callback: Dialled | undefined = done
  const finish = (error: unknown, connected?: net.Socket) => {
    if (callback === undefined) return
    const callOnce = callback
    callback = undefined
    if (connected === undefined) socket.destroy()
    callOnce(error, connected)
  }
  const onClose = () => finish(new EgressError('connection_reset', 'closed while connecting'))
  const socket = net.connect({ port: target.port, ...pinned(target.hostname, plan.addresses) })
  socket.setNoDelay(true)
  // These listeners stay for the socket's life: an unhandled error event would end the process.
  socket.on('error', (error) => finish(error))
  socket.once('close', onClose)
  socket.once('connect', () => {
    const refusal = refusePeer(target, socket.remoteAddress, allowed)
    if (refusal !== undefined) return finish(refusal)
    if (!target.secure) return finish(undefined, socket)
    try {
      const secured = startTls(target.hostname, socket, plan.secureContext())
      secured.on('error', (error) => finish(error))
      secured.once('close', onClose)
      secured.once('secureConnect', () => finish(undefined, secured))
    } catch (error) {
      finish(error)
    }
  })
  return () => {
    callback = undefined
    socket.destroy()
  }
}

function startTls(hostname: string, socket: net.Socket, secureContext: tls.SecureContext): tls.TLSSocket {
  // `host` is what the certificate must be for when the name is an address, which may not be sent as server name.
  const servername = net.isIP(hostname) === 0 ? hostname : ''
  return tls.connect({
    socket,
    host: hostname,
    servername,
    secureContext,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true, // whatever the environment says
  })
}

function refusePeer(target: Target, peer: string | undefined, allowed: Allowed): EgressError | undefined {
  if (peer === undefined) return new EgressError('connection_reset', 'closed while connecting')
  const vetted = vetAddress(target, peer, allowed)
  return vetted.ok
    ? undefined
    : new EgressError('blocked_address', `connected to an address that is refused: ${vetted.reason}`)
}

/** The part of the connect options that ties the socket to the vetted addresses. */
function pinned(hostname: string, addresses: string[]): Partial<net.TcpSocketConnectOpts> {
  const [first, ...others] = addresses
  if (first === undefined) throw new EgressError('dns_error', 'the host name has no address')
  if (others.length === 0) return { host: first }
  const answer = addresses.slice(0, MAX_ADDRESSES_TRIED).map((address) => ({ address, family: net.isIP(address) }))
  return {
    host: hostname,
    lookup: (_hostname, _options, callback) => callback(null, answer),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
  }
}
