/**
 * What Gatsby calls: posts become nodes of the type PostriderPost. Gatsby keeps nodes between builds where the host keeps its cache, and then a build
 * reads only what has changed; with an empty disk it reads everything, a hundred posts per request.
 */
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

/** Addresses that posts had before, for the hosts' redirects. */
export const createPages: GatsbyNode['createPages'] = (
  { actions, getNodesByType },
  { path = '/blog' }: PluginOptions,
) => {
  const nodes = getNodesByType(TYPE) as unknown as PostNode[] // made by nodeOf
  const taken = new Set(nodes.map(({ slug }) => slug))
  for (const { slug, previous_slugs = [] } of nodes) {
    for (const former of previous_slugs)
      if (!taken.has(former))
        actions.createRedirect({
          fromPath: `${path}/${former}`,
          toPath: `${path}/${slug}`,
          isPermanent: true,
          redirectInBrowser: true,
        })
  }
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
