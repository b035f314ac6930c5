/**
 * The fields of a post that its author writes. What holds for every field follows from its line here: its column, what requests may say and
 * answers show, what counts as a change, what sites get, what their lists show, what the search finds, and the examples of the documentation.
 *
 * A new field takes a line here, a migration that adds the column (of the field's name, with the fallback as its default), a control in the
 * editor, and `npm run gen`. The body is not here: it has three forms, which are converted (`body/`).
 */
import { z } from 'zod'
import { Id } from '../platform/http/endpoint.ts'
import { text, textError } from '../platform/http/text.ts'
import { httpUrl } from '../platform/http/url.ts'

/** The most characters of a title. */
export const MOST_TITLE = 300

/** The most tags of a post. */
export const MOST_TAGS = 50

/** What a derived slug becomes, and what happens if it is taken. */
export const SLUG_RULE =
  'It becomes lower-case letters, digits and single hyphens, at most 120 characters; a taken slug is refused with 409.'

const PLAIN_TEXT = 'Plain text: escape it before it goes into HTML.'

/** A value that null or an empty text removes. */
const removable = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().optional()
const removableUrl = (label: string) => removable(z.union([z.literal(''), httpUrl(label)]))

/** Metadata for search engines and social networks. */
const Meta = z
  .object({
    title: z.string().optional(),
    description: z.string().optional(),
    og_image: z.string().optional().openapi({ format: 'uri' }),
    canonical_url: z.string().optional().openapi({ format: 'uri' }),
  })
  .openapi('PostMeta', {
    description: 'Metadata for search engines and social networks. Fields that are not set are absent.',
  })

type Field = {
  /** As it is stored, and as answers and sites show it. */
  shown: z.ZodType
  /** As requests give it. They may leave it out unless it is required. */
  given: z.ZodType
  required?: true
  /** The value of a new post that was not given one. */
  fallback?: unknown
  /** Whether sites get it, and whether the lists that they pull show it. */
  sites?: true
  lists?: true
  /** It says where the post is, not what is in it: a published post keeps its version when it changes. */
  placement?: true
  /** Whether the search finds its words, and how much they weigh. */
  searched?: 'heading' | 'text'
  example: unknown
}

export const FIELDS = {
  title: {
    shown: z.string().openapi({ description: PLAIN_TEXT }),
    given: text('The title', { min: 1, max: MOST_TITLE }),
    required: true,
    sites: true,
    lists: true,
    searched: 'heading',
    example: 'Bread without kneading',
  },
  slug: {
    shown: z.string().openapi({ description: 'Unique within the account.' }),
    given: text('The slug', { min: 1, max: 300 }).openapi({
      description: `Derived from the title if it is not given. ${SLUG_RULE}`,
      example: 'bread-without-kneading',
    }),
    sites: true,
    lists: true,
    example: 'bread-without-kneading',
  },
  excerpt: {
    shown: z.string().openapi({ description: `Empty if there is none. ${PLAIN_TEXT}` }),
    given: text('The excerpt', { max: 1000 }),
    fallback: '',
    sites: true,
    lists: true,
    searched: 'text',
    example: 'Four ingredients, ten minutes of work, and a night of patience.',
  },
  tags: {
    shown: z.array(z.string()).openapi({ description: PLAIN_TEXT }),
    given: z
      .array(text('A tag', { min: 1, max: 64 }), 'The tags must be an array of strings.')
      .max(MOST_TAGS, `A post can have at most ${MOST_TAGS} tags.`)
      .transform((tags) => [...new Set(tags)])
      .openapi({ description: 'Duplicates are removed.' }),
    fallback: [],
    sites: true,
    lists: true,
    searched: 'text',
    example: ['baking', 'basics'],
  },
  meta: {
    shown: Meta,
    given: z.strictObject({
      title: removable(text('The meta title', { max: 200 })),
      description: removable(text('The meta description', { max: 500 })),
      og_image: removableUrl('og_image'),
      canonical_url: removableUrl('canonical_url'),
    }),
    fallback: {},
    sites: true,
    example: {
      title: 'Bread without kneading: the overnight method',
      description: 'How to bake a crusty loaf from four ingredients with ten minutes of work.',
      og_image: 'https://kitchen.example.com/images/loaf.jpg',
      canonical_url: 'https://kitchen.example.com/bread-without-kneading',
    },
  },
  primary_site_id: {
    shown: Id.nullable().openapi({
      description:
        'The site that shows the original: the others are sent its address as `meta.canonical_url`, unless the author gave one. Null: the post has no original. Sites do not get it.',
    }),
    given: z
      .string(textError('primary_site_id'))
      .transform((id) => id.toLowerCase())
      .nullable()
      .openapi({
        description:
          "A site of the account; null: none. A new post has the account's `primary_site_id` unless it is given one. On a published post, the sites whose `meta.canonical_url` changes by it are sent `post.updated`; the version stays.",
      }),
    fallback: null,
    placement: true,
    example: '01a19b40-5a20-7c11-9e3d-7b42a1d0c6f8',
  },
} satisfies Record<string, Field>

type Fields = typeof FIELDS
export type FieldName = keyof Fields
type NameWith<Property extends keyof Field> = {
  [Name in FieldName]: Fields[Name] extends { [Key in Property]: unknown } ? Name : never
}[FieldName]

/** The fields' values, as they are stored. */
export type FieldValues = { [Name in FieldName]: z.output<Fields[Name]['shown']> }
/** What a request says of the fields. */
export type FieldInput = { [Name in FieldName]?: z.output<Fields[Name]['given']> | undefined }
export type PostMeta = FieldValues['meta']

export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[]
const namesWith = <Property extends keyof Field>(property: Property) =>
  FIELD_NAMES.filter((name) => property in FIELDS[name]) as NameWith<Property>[]

/** The fields that sites get. */
export const SITE_FIELDS = namesWith('sites')
/** The fields that the lists show which sites pull. */
export const LIST_FIELDS = namesWith('lists')
/** The fields in which the search looks. */
export const SEARCHED_FIELDS = namesWith('searched')

/** Whether a column holds what is in the post, and not where it is. */
export const isContent = (column: string): boolean => !PLACEMENT_FIELDS.some((name) => name === column)
const PLACEMENT_FIELDS = namesWith('placement')
/** The fields of what is in the post. */
export const CONTENT_FIELDS = FIELD_NAMES.filter(isContent) as Exclude<FieldName, NameWith<'placement'>>[]
/** Their values. */
export type ContentValues = Pick<FieldValues, (typeof CONTENT_FIELDS)[number]>

/** The schemas of fields in answers. */
export const shownFields = <Name extends FieldName>(names: readonly Name[]) =>
  collect(names, (name) => FIELDS[name].shown) as { [Key in Name]: Fields[Key]['shown'] }

/** The schemas of all fields in requests. */
export const givenFields = collect(FIELD_NAMES, (name) =>
  'required' in FIELDS[name] ? FIELDS[name].given : FIELDS[name].given.optional(),
) as {
  [Name in FieldName]: Name extends NameWith<'required'> ? Fields[Name]['given'] : z.ZodOptional<Fields[Name]['given']>
}

/** What fields have that nobody gave a value. */
export const FALLBACKS = collect(namesWith('fallback'), (name) => FIELDS[name].fallback) as Pick<
  FieldValues,
  NameWith<'fallback'>
>

/** The values of the documentation's example. */
export const EXAMPLES = collect(FIELD_NAMES, (name) => FIELDS[name].example) as FieldValues

/** Fields of which some may be missing or undefined. */
export type SomeFields = { [Name in FieldName]?: FieldValues[Name] | undefined }

/** The fields that have a value. */
export const presentFields = (from: SomeFields) =>
  collect(
    FIELD_NAMES.filter((name) => from[name] !== undefined),
    (name) => from[name],
  ) as Partial<FieldValues>

/** The values of these fields. */
export const pickFields = <Name extends FieldName>(from: Pick<FieldValues, Name>, names: readonly Name[]) =>
  collect(names, (name) => from[name]) as Pick<FieldValues, Name>

/** The values in which the search looks. */
export type SearchedValues = Pick<FieldValues, NameWith<'searched'>>

/** What is searched in the fields: headings apart, because they weigh more. */
export function searchedTexts(values: SearchedValues): Record<'heading' | 'text', string> {
  const textOf = (part: 'heading' | 'text') =>
    SEARCHED_FIELDS.filter((name) => FIELDS[name].searched === part)
      .flatMap((name) => values[name])
      .join('\n')
  return { heading: textOf('heading'), text: textOf('text') }
}

function collect<Name extends string, Value>(names: readonly Name[], of: (name: Name) => Value) {
  return Object.fromEntries(names.map((name) => [name, of(name)]))
}
