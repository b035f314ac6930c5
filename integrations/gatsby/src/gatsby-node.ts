/**
 * What Gatsby calls: posts become nodes of the type PostriderPost. Gatsby keeps nodes between builds where the host keeps its cache, and then a build
 * reads only what has changed; with an empty disk it reads everything, a hundred posts per request.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { connectionOf } from '@postrider/sdk'
import { followChanges } from '@postrider/sdk/receiver'
import type { WebhookPost } from '@postrider/sdk/webhooks'
import type { GatsbyNode, SourceNodesArgs } from 'gatsby'

/** The plugin's options, of which none is needed. */
export type PluginOptions = {
  /** The site's connection code. Default: POSTRIDER_CONNECTION of the environment, or of `.env`. */
  connection?: string
  /** Where the pages of posts are. Default `/blog`. Addresses that a post had before redirect there. */
  path?: string
}

const TYPE = 'PostriderPost'

/** A node, as far as this plugin looks at it. */
type PostNode = { id: string; slug: string; previous_slugs?: string[] }

export const pluginOptionsSchema: GatsbyNode['pluginOptionsSchema'] = ({ Joi }) =>
  Joi.object({ connection: Joi.string(), path: Joi.string() })

/** What can be queried although no post has it, or there is none. */
export const createSchemaCustomization: GatsbyNode['createSchemaCustomization'] = ({ actions }) => {
  actions.createTypes(`
    type PostriderPost implements Node {
      post_id: String!
      version: Int!
      slug: String!
      previous_slugs: [String!]
      title: String!
      excerpt: String!
      published_at: Date! @dateformat
      tags: [String!]!
      body: PostriderPostBody!
      meta: PostriderPostMeta!
    }
    type PostriderPostBody {
      html: String!
      markdown: String!
    }
    type PostriderPostMeta {
      title: String
      description: String
      canonical_url: String
      og_image: String
    }
  `)
}

/** Makes the nodes. A build that cannot read the service fails. */
export const sourceNodes: GatsbyNode['sourceNodes'] = async (gatsby: SourceNodesArgs, options: PluginOptions) => {
  const { actions, cache, createNodeId, getNode, getNodesByType, reporter } = gatsby
  const { connection } = options
  const { url, site } = connectionOf(connection)
  const before = getNodesByType(TYPE)
  const kept = (await cache.get('kept')) as { of: string; cursor: string } | undefined
  const of = `${url} ${site}`
  const goesOn = kept?.of === of && before.length > 0
  // What is not touched, Gatsby removes: that is how posts go that were withdrawn while nothing was known of the changes.
  if (goesOn) for (const node of before) actions.touchNode(node)
  const cursor = await followChanges(
    { connection, log: (message) => reporter.warn(message) },
    {
      ...(goesOn ? { cursor: kept.cursor } : {}),
      onStartAgain: () => {
        for (const node of getNodesByType(TYPE)) actions.deleteNode(node)
      },
      onChange({ post_id, post }) {
        const id = createNodeId(`${TYPE} ${post_id}`)
        const node = getNode(id)
        if (post !== undefined) actions.createNode(nodeOf(id, post, gatsby))
        else if (node !== undefined) actions.deleteNode(node)
      },
    },
  )
  await cache.set('kept', { of, cursor })
}

/** An address that a post had before, and that of today, as paths. */
type Move = { from: string; to: string }

function movesOf(gatsby: Pick<SourceNodesArgs, 'getNodesByType'>, { path = '/blog' }: PluginOptions): Move[] {
  const below = ['', ...path.split('/').filter((part) => part !== '')].join('/')
  const nodes = gatsby.getNodesByType(TYPE) as unknown as PostNode[] // made by nodeOf
  const taken = new Set(nodes.map(({ slug }) => slug))
  return nodes.flatMap(({ slug, previous_slugs = [] }) =>
    previous_slugs
      .filter((former) => !taken.has(former))
      .map((former) => ({ from: `${below}/${former}`, to: `${below}/${slug}` })),
  )
}

/** Redirects for hosts whose Gatsby adapter carries them out; `force`, because there is a page, too. */
export const createPages: GatsbyNode['createPages'] = (gatsby, options: PluginOptions) => {
  for (const { from, to } of movesOf(gatsby, options))
    gatsby.actions.createRedirect({ fromPath: from, toPath: to, isPermanent: true, force: true })
}

/**
 * A page at each address of before, which sends visitors on: on other hosts nobody does. (Gatsby's redirectInBrowser shows a white page to whoever
 * comes by a link.) Pages of the site's own stay. Those of earlier builds go with their redirects where the host keeps `public`.
 */
export const onPostBuild: GatsbyNode['onPostBuild'] = async (gatsby, options: PluginOptions) => {
  const { basePath, cache, getNodesByType, store } = gatsby
  const root = join(store.getState().program.directory, 'public')
  const fileOf = ({ from }: Move) => join(root, from, 'index.html')
  const pages = getNodesByType('SitePage') as unknown as Array<{ path: string }>
  const taken = new Set(pages.map(({ path }) => path.replace(/\/$/, '')))
  const moves = movesOf(gatsby, options).filter(({ from }) => !taken.has(from))
  for (const before of ((await cache.get('moves')) as Move[] | undefined) ?? []) {
    const text = await readFile(fileOf(before), 'utf8').catch(() => '')
    if (text === pageOf(before, basePath)) await rm(fileOf(before))
  }
  for (const move of moves) {
    await mkdir(dirname(fileOf(move)), { recursive: true })
    await writeFile(fileOf(move), pageOf(move, basePath))
  }
  await cache.set('moves', moves)
}

/** Slugs have no sign that HTML or an address would have to escape. */
function pageOf({ to }: Move, basePath = ''): string {
  const address = encodeURI(basePath + to)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Moved</title><meta name="robots" content="noindex"><link rel="canonical" href="${address}"><meta http-equiv="refresh" content="0; url=${address}"></head><body><p>This post is at <a href="${address}">another address</a> now.</p></body></html>`
}

function nodeOf(id: string, post: WebhookPost, { createContentDigest }: SourceNodesArgs) {
  const { id: post_id, body, ...fields } = post
  return {
    ...fields,
    id,
    post_id,
    body: { html: body.html, markdown: body.markdown },
    parent: null,
    children: [],
    internal: { type: TYPE, contentDigest: createContentDigest(post) },
  }
}
