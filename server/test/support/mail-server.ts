/** A real SMTP server for the service's mail. */
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A mail as it arrived: the text part decoded, and everything as it came. */
export type ReceivedMail = { to: string; from: string; subject: string; text: string; raw: string }

export type MailServer = {
  /** For `SMTP_URL`. */
  url: string
  mails: ReceivedMail[]
  /** Answers the next mails with these codes instead of taking them. */
  refuseNext(...codes: number[]): void
  close(): Promise<void>
}

/** Starts a server on a port of its own. It requires the login `postrider:secret`. */
export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const refusals: number[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      if (username === 'postrider' && password === 'secret') callback(null, { user: username })
      else callback(Object.assign(new Error('wrong login'), { responseCode: 535 }))
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const code = refusals.shift()
        if (code !== undefined) return callback(Object.assign(new Error('not now'), { responseCode: code }))
        const raw = Buffer.concat(chunks).toString('utf8')
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        mails.push({ to: rcptTo.map(({ address }) => address).join(), from, raw, ...read(raw) })
        callback()
      })
    },
  })
  server.on('error', () => {}) // of connections that break
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://postrider:secret@127.0.0.1:${port}`,
    mails,
    refuseNext: (...codes) => void refusals.push(...codes),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The subject, and the part that is plain text. */
function read(raw: string): { subject: string; text: string } {
  const [head = ''] = raw.split('\r\n\r\n', 1)
  const unfolded = head.replaceAll(/\r\n[ \t]+/g, ' ')
  const subject = /^Subject: (.*)$/m.exec(unfolded)?.[1] ?? ''
  const [, headers = '', part = ''] = /Content-Type: text\/plain([\s\S]*?)\r\n\r\n([\s\S]*?)\r\n--/.exec(raw) ?? []
  const isQuoted = headers.includes('quoted-printable')
  return { subject: decodeWords(subject), text: isQuoted ? decodeQuoted(part.replaceAll('=\r\n', '')) : part }
}

/** Encoded words of a header (RFC 2047). */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?(q|b)\?(.*?)\?=/gi, (_, encoding: string, data: string) =>
      encoding.toLowerCase() === 'b' ? Buffer.from(data, 'base64').toString() : decodeQuoted(data.replaceAll('_', ' ')),
    )
}

function decodeQuoted(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
