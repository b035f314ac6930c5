/**
 * Mail, by the operator's SMTP server (RFC 5321). nodemailer builds the message and speaks the protocol: it is well kept, has no dependencies,
 * and connects to nothing but this one server, which only the operator names. It does not load files or addresses that a message might name.
 */
import { createTransport } from 'nodemailer'
import { escapeHtml } from './html.ts'
import { messageOf } from './thrown.ts'

/** The server, as `smtp://user:password@host:587` (STARTTLS if it is offered) or `smtps://…:465`, and the sender of every mail. */
export type MailConfig = { url: string; from: string }

/** A mail to one address, with the same words as text and as HTML. */
export type Mail = { to: string; subject: string; text: string; html: string }

/** What is to be said: a subject, sentences, and the one link that helps. */
export type Message = { subject: string; sentences: string[]; link: { label: string; url: string } }

const CONNECT_MS = 10_000
const ANSWER_MS = 20_000

/** The server did not take a mail. `isFinal`: it never will (a reply 5yz, RFC 5321, section 4.2.1). */
export class MailError extends Error {
  readonly isFinal: boolean

  constructor(error: unknown) {
    super(messageOf(error), { cause: error })
    this.name = 'MailError'
    const { responseCode } = error as { responseCode?: unknown }
    this.isFinal = typeof responseCode === 'number' && responseCode >= 500
  }
}

/** Sends a mail over a connection of its own; resolves when the server has taken it. Throws MailError. */
export async function sendMail({ url, from }: MailConfig, mail: Mail): Promise<void> {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await transport.sendMail({ from, ...mail, headers: { 'Auto-Submitted': 'auto-generated' } })
  } catch (error) {
    throw new MailError(error)
  } finally {
    transport.close()
  }
}

/** Checks an SMTP_URL. Throws with what is wrong. */
export function parseSmtpUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    throw new Error(
      'must look like smtp://user:password@mail.example.com:587, or smtps://… for TLS from the first byte',
    )
  return text
}

/** Checks a MAIL_FROM: an address, or a name and an address in angle brackets. Throws with what is wrong. */
export function parseMailFrom(text: string): string {
  if (!/^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(text))
    throw new Error(`"${text}" is not a sender; write it like Postrider <post@example.com>`)
  return text
}

/** An SMTP_URL as it may be shown. */
export function withoutPassword(url: string): string {
  const shown = new URL(url)
  if (shown.password !== '') shown.password = '***'
  return shown.href
}

/** A message as a mail: the same words as text and as HTML, without pictures or styles that mail programs would change. */
export function mailOf({ subject, sentences, link }: Message, to: string, footer: string): Mail {
  const paragraphs = sentences.map((one) => `<p>${escapeHtml(one)}</p>`).join('\n')
  return {
    to,
    subject,
    text: `${sentences.join('\n\n')}\n\n${link.label}: ${link.url}\n\n-- \n${footer}\n`,
    html: `${paragraphs}\n<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>\n<p><small>${escapeHtml(footer)}</small></p>\n`,
  }
}
