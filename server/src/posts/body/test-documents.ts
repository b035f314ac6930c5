import { BodyError, type BodyInput, convertBody, type DocNode } from './convert.ts'

export const text = (value: string, ...marks: string[]): DocNode => ({
  type: 'text',
  ...(marks.length > 0 && { marks: marks.map((type) => ({ type })) }),
  text: value,
})
export const paragraph = (...content: DocNode[]): DocNode =>
  content.length > 0 ? { type: 'paragraph', content } : { type: 'paragraph' }
export const p = (value: string) => paragraph(text(value))
export const node = (type: string, ...content: DocNode[]): DocNode => ({ type, content })
export const cell = (type: string, content: DocNode, attrs: DocNode['attrs'] = {}): DocNode => ({
  type,
  attrs: { colspan: 1, rowspan: 1, ...attrs },
  content: [content],
})
export const row = (...cells: DocNode[]): DocNode => ({ type: 'tableRow', content: cells })
export const image: DocNode = { type: 'image', attrs: { src: '/a.png', alt: 'alt', title: 't' } }
export const embedSrc = 'https://www.youtube.com/embed/dQw4w9WgXcQ'

/** The error a body is refused with. */
export function refusal(input: BodyInput): BodyError {
  try {
    convertBody(input)
  } catch (error) {
    if (error instanceof BodyError) return error
    throw error
  }
  throw new Error('was accepted')
}
