/** What an event says to people: the same few words for mail, for chats and for programs. */
import type { Message } from '../platform/mail.ts'
import type { EventData, EventName, NotificationEvent } from './events.ts'

type Writer<Name extends EventName> = (data: EventData[Name]) => Omit<Message, 'link'> & { path: string; label: string }

const WRITERS: { [Name in EventName]: Writer<Name> } = {
  'site.failing': ({ site, reason }) => ({
    subject: `${site.name} is not accepting posts`,
    sentences: [
      `Postrider cannot deliver to ${site.name}.${reason === null ? '' : ` ${reason}`}`,
      'It keeps trying. You will hear when the site accepts posts again.',
    ],
    label: 'See what went wrong',
    path: `/sites/${site.id}`,
  }),
  'delivery.failed': ({ site, failures }) => ({
    subject: `${site.name}: ${plural(failures, 'more delivery', 'more deliveries')} failed`,
    sentences: [
      `Since the last message, ${plural(failures, 'delivery', 'deliveries')} to ${site.name} failed for good.`,
      'Once the site works again, you can send them all with one click.',
    ],
    label: 'See the failed deliveries',
    path: `/deliveries?status=action&site=${site.id}`,
  }),
  'site.recovered': ({ site, missing, since, until }) => ({
    subject: missing === 0 ? `${site.name} is up to date again` : `${site.name} accepts posts again`,
    sentences: [
      `${site.name} had trouble for ${duration(Date.parse(until) - Date.parse(since))}.`,
      missing === 0
        ? 'Every post has arrived.'
        : `It still lacks ${plural(missing, 'post', 'posts')}: send ${missing === 1 ? 'it' : 'them'} again with one click.`,
    ],
    label: missing === 0 ? 'Open the site' : 'Send what is missing',
    path: missing === 0 ? `/sites/${site.id}` : `/deliveries?status=action&site=${site.id}`,
  }),
  'site.not_live': ({ site, posts, reason }) => ({
    subject: `${site.name} accepts changes, but does not show them`,
    sentences: [
      `${site.name} has accepted changes to ${plural(posts, 'post', 'posts')}, and its pages do not show them.${reason === null ? '' : ` ${reason}`}`,
      'Postrider keeps looking. You will hear when every page is up to date.',
    ],
    label: 'See which posts',
    path: `/deliveries?status=not_live&site=${site.id}`,
  }),
  'site.live': ({ site, since, until }) => ({
    subject: `${site.name} shows everything again`,
    sentences: [
      `For ${duration(Date.parse(until) - Date.parse(since))}, ${site.name} did not show everything that it had accepted.`,
      'Now it does.',
    ],
    label: 'Open the site',
    path: `/sites/${site.id}`,
  }),
  'post.late': ({ post, others, due_at, published_at }) => ({
    subject: `“${post.name}”${others === 0 ? ' was' : ` and ${plural(others, 'other post', 'other posts')} were`} published late`,
    sentences: [
      `“${post.name}” was due at ${instant(due_at)} and was published at ${instant(published_at)}.`,
      'Postrider was not running when it was due.',
    ],
    label: 'Open the post',
    path: `/posts/${post.id}`,
  }),
  'draft.ready': ({ topic, post }) => ({
    subject: `Your draft is ready: ${post.name}`,
    sentences: [`The draft about “${topic}” is written. Nothing is published until you do it.`],
    label: 'Read the draft',
    path: `/posts/${post.id}`,
  }),
  'draft.failed': ({ job_id, topic, reason }) => ({
    subject: `Your draft about “${topic}” could not be written`,
    sentences: [reason],
    label: 'Try again',
    path: `/posts/generate?job=${job_id}`,
  }),
}

/** The words for an event; the link leads to the dashboard at `publicUrl`. */
export function messageFor(event: NotificationEvent, publicUrl: string): Message {
  // The name decides the type of the data, which TypeScript does not follow through the table.
  const { subject, sentences, label, path } = (WRITERS[event.name] as Writer<EventName>)(event.data as never)
  return { subject, sentences, link: { label, url: publicUrl + path } }
}

/** A message as the JSON of Slack's incoming webhooks, which Mattermost, Rocket.Chat and Discord (at `/slack`) take too. */
export function slackOf({ subject, sentences, link }: Message): { text: string } {
  // Slack asks for these three alone to be escaped.
  const plain = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return { text: `*${plain(subject)}*\n${plain(sentences.join(' '))}\n<${link.url}|${plain(link.label)}>` }
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

function duration(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  if (minutes < 120) return plural(minutes, 'minute', 'minutes')
  const hours = Math.round(minutes / 60)
  return hours < 48 ? plural(hours, 'hour', 'hours') : plural(Math.round(hours / 24), 'day', 'days')
}

/** In UTC: the service does not know where its reader is. */
function instant(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
}
