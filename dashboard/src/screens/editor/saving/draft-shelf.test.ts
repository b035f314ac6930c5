import { describe, expect, it } from 'vitest'
import { type Copy, shelfOf } from './draft-shelf.ts'

/** Browser storage as its specification has it: keys are also properties, and there is an end to it. */
function storageOf(room: number): Storage {
  const items = new Map<string, string>()
  const methods = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem(key: string, value: string) {
      if (value.length > room) throw new DOMException('no room', 'QuotaExceededError')
      items.set(key, value)
    },
    removeItem: (key: string) => void items.delete(key),
  }
  return new Proxy(methods as Storage, {
    ownKeys: () => [...items.keys()],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  })
}

const copy = (title: string, at: number): Copy => ({ seen: undefined, was: { title: '' }, mine: { title }, at })

describe('copies in the browser', () => {
  it('belong to an account, and are found by the name of the post', () => {
    const storage = storageOf(1_000)
    const ada = shelfOf('ada', storage)
    expect(ada.write('1', { ...copy('Stored', 1), seen: 3 })).toBe(true)
    ada.write('new-a', copy('Earlier', 2))
    ada.write('new-b', copy('Later', 3))
    expect(ada.read('1')).toEqual({ ...copy('Stored', 1), seen: 3 })
    expect(ada.all().map(({ id }) => id)).toEqual(['new-b', 'new-a', '1'])
    expect(shelfOf('bob', storage).read('1')).toBeUndefined()
    expect(shelfOf('bob', storage).all()).toEqual([])
    ada.remove('new-b')
    expect(ada.all().map(({ id }) => id)).toEqual(['new-a', '1'])
  })

  it('say when there is no room, and are not believed when they are something else', () => {
    const storage = storageOf(200)
    const shelf = shelfOf('ada', storage)
    expect(shelf.write('1', copy('x'.repeat(200), 1))).toBe(false)
    storage.setItem('postrider.draft.ada.1', '{"mine":')
    expect(shelf.read('1')).toBeUndefined()
    storage.setItem('postrider.draft.ada.1', '{"mine":{}}')
    expect(shelf.read('1')).toBeUndefined()
  })
})
