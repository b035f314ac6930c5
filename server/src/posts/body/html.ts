import type { Nodes, Root } from 'hast'
import { fromParse5 } from 'hast-util-from-parse5'
import { toHtml } from 'hast-util-to-html'
import { type DefaultTreeAdapterMap, defaultTreeAdapter, parseFragment, type TreeAdapter } from 'parse5'
import { assertTreeSize, BodyError, copyBudget, nodeBudget } from './limits.ts'

type P5Node = DefaultTreeAdapterMap['node']

/** Parses an HTML fragment as a browser does. Throws BodyError at `path` if the tree gets too large or too deep. */
export function parseHtml(html: string, path: string): Root {
  const tree = parseFragment(html, { treeAdapter: boundedAdapter(path), scriptingEnabled: false })
  assertTreeSize<P5Node>(tree, childrenOf, path)
  const root = fromParse5(tree)
  if (root.type !== 'root') throw new BodyError(path, 'is not an HTML fragment')
  return root
}

function childrenOf(node: P5Node): P5Node[] {
  if ('content' in node) return [node.content]
  return 'childNodes' in node ? node.childNodes : []
}

/**
 * Throws as soon as the tree being built exceeds its bounds. Checking the text beforehand is not enough: by the rules for
 * misnested tags, the tree of `<b a=1><b a=2>…<p><p>…` grows with the square of its source.
 */
function boundedAdapter(path: string): TreeAdapter<DefaultTreeAdapterMap> {
  const count = nodeBudget(path)
  const copy = copyBudget(path)
  return {
    ...defaultTreeAdapter,
    createElement(tagName, namespace, attributes) {
      count()
      for (const { name, value } of attributes) copy(name.length + value.length)
      return defaultTreeAdapter.createElement(tagName, namespace, attributes)
    },
    createCommentNode(data) {
      count()
      return defaultTreeAdapter.createCommentNode(data)
    },
  }
}

/** Prints a tree; `raw` nodes of a Markdown tree are printed as they are. */
export function printHtml(tree: Nodes): string {
  const html = toHtml(tree, { allowDangerousHtml: true, characterReferences: { useNamedReferences: true } })
  // Text has no bare `<`, so every match is a tag. Older sanitisers on sites trip over angle brackets in attributes.
  return html.replace(/<[a-z][^<>"]*(?:"[^"]*"[^<>"]*)+>/g, (tag) =>
    tag.replace(/"[^"]*"/g, (value) => value.replaceAll('<', '&lt;').replaceAll('>', '&gt;')),
  )
}
