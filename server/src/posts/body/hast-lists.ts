/** What lists in HTML consist of. */
import type { Element, ElementContent, Nodes } from 'hast'
import type { Attrs } from './schema.ts'

/** `checked` is undefined for items without a checkbox. */
type Item = { nodes: ElementContent[]; checked: boolean | undefined; value: Attrs }

/** Content between items belongs to the item before it, as in lists nested by old editors. */
export function itemsOf(list: Element): Item[] {
  const items: Item[] = []
  for (const child of list.children) {
    const last = items.at(-1)
    if (child.type === 'element' && child.tagName === 'li') {
      items.push({ nodes: itemNodes(child), checked: boxOf(child), value: numberOf(child) })
    } else if (last !== undefined) {
      last.nodes.push(child)
    } else if (!isBlank(child)) {
      items.push({ nodes: [child], checked: undefined, value: {} })
    }
  }
  return items
}

/** What is in an item; its anchor and its direction become those of its content. */
export function itemNodes({ properties: { id, dir }, children }: Element): ElementContent[] {
  const anchor: Element[] =
    id === undefined ? [] : [{ type: 'element', tagName: 'a', properties: { id }, children: [] }]
  const nodes = [...anchor, ...children]
  return dir === undefined ? nodes : [{ type: 'element', tagName: 'div', properties: { dir }, children: nodes }]
}

function numberOf({ properties: { value } }: Element): Attrs {
  const number = Number(value)
  return value !== undefined && value !== '' && Number.isInteger(number) && Math.abs(number) <= 99_999_999
    ? { value: number }
    : {}
}

/** The state of the checkbox that an item begins with, perhaps inside its paragraph. */
function boxOf(element: Element): boolean | undefined {
  const first = element.children.find((child) => !isBlank(child))
  if (first?.type !== 'element') return undefined
  if (first.tagName === 'input') return Boolean(first.properties.checked)
  return first.tagName === 'p' ? boxOf(first) : undefined
}

function isBlank(node: Nodes): boolean {
  return node.type === 'text' && !/[^ \t\n\f\r]/.test(node.value)
}

/** A number attribute; 1 if it is missing or out of range. */
export function integerIn(value: unknown, min: number, max: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : 1
}
