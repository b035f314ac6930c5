import { describe, expect, test } from 'vitest'
import { Linked, LinkedList } from './linked-list.ts'

class Item extends Linked<Item> {
  readonly name: string

  constructor(name: string) {
    super()
    this.name = name
  }
}

const itemsOf = (names: string) => [...names].map((name) => new Item(name))

function listOf(items: readonly Item[]): LinkedList<Item> {
  const list = new LinkedList<Item>()
  for (const item of items) list.add(item)
  return list
}

const namesIn = (list: LinkedList<Item>) =>
  list
    .toArray()
    .map(({ name }) => name)
    .join('')

describe('a linked list', () => {
  test('keeps the order in which objects joined', () => {
    const list = listOf(itemsOf('abc'))
    expect(namesIn(list)).toBe('abc')
    expect(list.first?.name).toBe('a')
    expect(list.size).toBe(3)
  })

  test.each([
    ['a', 'bc'],
    ['b', 'ac'],
    ['c', 'ab'],
  ])('goes on without %s', (gone, rest) => {
    const items = itemsOf('abc')
    const list = listOf(items)
    for (const item of items) if (item.name === gone) expect(list.delete(item)).toBe(true)
    expect(namesIn(list)).toBe(rest)
    expect(list.first?.name).toBe(rest[0])
    list.add(new Item('d'))
    expect(namesIn(list)).toBe(`${rest}d`)
    expect(list.size).toBe(3)
  })

  test('is empty again after the last has left', () => {
    const items = itemsOf('ab')
    const list = listOf(items)
    for (const item of items) list.delete(item)
    expect([list.first, list.size, namesIn(list)]).toEqual([undefined, 0, ''])
    expect(items.every(({ before, after }) => before === undefined && after === undefined)).toBe(true)
  })

  test('leaves an object that is in already where it is, and knows nothing of others', () => {
    const items = itemsOf('ab')
    const list = listOf(items)
    for (const item of items) list.add(item)
    expect(namesIn(list)).toBe('ab')
    expect(list.delete(new Item('c'))).toBe(false)
    for (const item of items) expect(() => new LinkedList<Item>().add(item)).toThrow('another list')
  })

  test('an object that has left joins at the end', () => {
    const items = itemsOf('abc')
    const list = listOf(items)
    for (const item of items.slice(0, 2)) {
      list.delete(item)
      list.add(item)
    }
    expect(namesIn(list)).toBe('cab')
  })
})
