/** The editor writes what the service accepts: its schema equals the server's, type by type. */
import { schema as served } from '@postrider/server/posts/body/schema'
import { getSchema } from '@tiptap/core'
import type { MarkType, NodeType, Schema } from '@tiptap/pm/model'
import { describe, expect, it } from 'vitest'
import { documentTypes } from './schema.ts'

const written = getSchema(documentTypes)

const attributesOf = ({ spec }: NodeType | MarkType) =>
  Object.fromEntries(
    Object.entries(spec.attrs ?? {}).map(([name, attribute]) => [
      name,
      'default' in attribute ? { default: attribute.default } : 'required',
    ]),
  )

const nodesOf = (schema: Schema) =>
  Object.fromEntries(
    Object.values(schema.nodes).map((type) => [
      type.name,
      {
        attributes: attributesOf(type),
        content: type.spec.content ?? '',
        inline: type.isInline,
        leaf: type.isLeaf,
        code: type.spec.code ?? false,
        marks: type.markSet?.map(({ name }) => name).sort() ?? 'all',
        defining: type.spec.defining ?? false,
        isolating: type.spec.isolating ?? false,
        block: type.isInGroup('block'),
      },
    ]),
  )

const marksOf = (schema: Schema) =>
  Object.fromEntries(
    Object.values(schema.marks).map((type) => [
      type.name,
      { attributes: attributesOf(type), inclusive: type.spec.inclusive !== false },
    ]),
  )

describe("the editor's schema", () => {
  it('has the nodes of the server, with their attributes and what they may contain', () => {
    expect(nodesOf(written)).toEqual(nodesOf(served))
  })

  it('has the marks of the server, and lets them stand together', () => {
    expect(marksOf(written)).toEqual(marksOf(served))
    const excluding = Object.values(written.marks).filter((type) =>
      Object.values(written.marks).some((other) => other !== type && type.excludes(other)),
    )
    expect(excluding.map(({ name }) => name)).toEqual([])
  })
})
