import { type PostriderClient, PostriderError, type WrittenPost } from '@postrider/sdk'
import { systemClock } from '../platform/clock.ts'
import { sentenceOf, withAccount } from './author/account.ts'
import { type LocalFile, readLocalFiles } from './author/local-files.ts'
import { type Asked, type Known, planOf, postOf } from './author/push-plan.ts'
import { siteNamed } from './author/sites.ts'
import { CommandError, EXIT, type Invocation, type Run, UsageError } from './command.ts'

/** What became of a file. `changed`: the fields. */
type Pushed = {
  file: string
  outcome: 'created' | 'changed' | 'unchanged' | 'refused'
  slug?: string
  status?: string
  changed?: string[]
  problem?: string
  warnings?: string[]
}

/** Brings the account's posts up to files; exits 1 if one could not be. A second run with the same files changes nothing. */
export const run: Run = async (invocation) => {
  const { operands, options, terminal } = invocation
  const files = await readLocalFiles(operands)
  if (files.length === 0) throw new CommandError('There are no Markdown files there.')
  const all = await withAccount(invocation, async (client) => {
    const asked = {
      ...wishesOf(options),
      siteIds: options.site === undefined ? undefined : [(await siteNamed(client, options.site)).id],
    }
    const posts = await everyPost(client)
    const done: Pushed[] = []
    for (const file of files) {
      const one = await push(client, file, posts, asked)
      done.push(one)
      if (options.json !== true && one.outcome !== 'unchanged') terminal.print(lineOf(one))
    }
    return done
  })
  const count = (outcome: Pushed['outcome']) => all.filter((one) => one.outcome === outcome).length
  if (options.json === true) terminal.print(JSON.stringify(all, null, 2))
  else
    terminal.print(
      `${count('created')} created, ${count('changed')} changed, ${count('unchanged')} as they were, ${count('refused')} refused.`,
    )
  return count('refused') === 0 ? EXIT.ok : EXIT.failed
}

function wishesOf({ publish, draft, at }: Invocation['options']): Omit<Asked, 'siteIds'> {
  if ([publish, draft, at].filter((one) => one !== undefined).length > 1)
    throw new UsageError('Give one of --publish, --draft and --at.')
  if (typeof at === 'string' && Number.isNaN(Date.parse(at)))
    throw new UsageError(`--at is no time: ${at}. Write it like 2026-12-24T09:00:00+01:00.`)
  return {
    publish: publish === true,
    draft: draft === true,
    at: typeof at === 'string' ? new Date(at).toISOString() : undefined,
  }
}

async function everyPost(client: PostriderClient): Promise<Known[]> {
  const posts: Known[] = []
  for await (const post of client.posts.all({ limit: 100 })) posts.push(post)
  return posts
}

async function push(client: PostriderClient, file: LocalFile, posts: Known[], asked: Asked): Promise<Pushed> {
  if ('refused' in file) return { file: file.path, outcome: 'refused', problem: file.refused }
  const known = postOf(file.source, posts)
  const plan = planOf(file.source, known, asked, systemClock.now())
  const told = file.source.losses.filter(({ code }) => code !== 'no_date').map(({ message }) => message)
  try {
    if (plan.kind === 'nothing') return { file: file.path, outcome: 'unchanged', slug: known?.slug ?? '' }
    if (plan.kind === 'create') {
      const created = await client.posts.create(plan.input)
      // Another file with the same slug is the same post.
      posts.push(created)
      return { file: file.path, outcome: 'created', ...shown(created, told) }
    }
    const changed = await client.posts.update(known?.id ?? '', plan.input, known?.version)
    return { file: file.path, outcome: 'changed', ...shown(changed, told), changed: plan.fields }
  } catch (error) {
    if (!(error instanceof PostriderError) || error.status === 401 || error.status === 429) throw error
    return { file: file.path, outcome: 'refused', problem: sentenceOf(error) }
  }
}

function shown({ slug, status, warnings = [] }: WrittenPost, told: readonly string[]) {
  const all = [...told, ...warnings.map(({ message }) => message)]
  return { slug, status, ...(all.length === 0 ? {} : { warnings: all }) }
}

function lineOf({ file, outcome, slug, status, changed = [], problem, warnings = [] }: Pushed): string {
  const what =
    outcome === 'refused' ? problem : `${slug} (${status})${changed.length === 0 ? '' : `: ${changed.join(', ')}`}`
  return [`${outcome.padEnd(7)}  ${file}  ${what}`, ...warnings.map((one) => `         ${one}`)].join('\n')
}
