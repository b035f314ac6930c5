import { describe, expect, it } from 'vitest'
import { folded, separated } from './words.ts'

const wordsOf = (text: string) => separated(folded(text)).trim().split(/\s+/)

describe('the words of a text', () => {
  it.each([
    ['Łódź', ['lodz']],
    ['smørrebrød', ['smorrebrod']],
    ['cœur', ['coeur']],
    ['STRAẞE, Straße', ['strasse', 'strasse']],
    ['Ærø', ['aero']],
    ['Café', ['cafe']],
    ['Cafe\u0301', ['cafe']],
    ['ＧＰＴ－４', ['gpt', '4']],
    ['ёлка Ἀθῆναι', ['елка', 'αθηναι']],
    ['so\u00adft', ['soft']],
  ])('%s are plain letters', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })

  it.each([
    ['client/server', ['client', 'server']],
    ['GPT-4', ['gpt', '4']],
    ['“rose”—thorn', ['rose', 'thorn']],
    ['https://example.com/a-b/c_d.html?x=1', ['https', 'example', 'com', 'a', 'b', 'c', 'd', 'html', 'x', '1']],
    ['ada@example.com', ['ada', 'example', 'com']],
  ])('%s are several', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })

  it.each([
    ['これは日本語のテストです', 'テスト'],
    ['我们今天去北京大学学习', '学习'],
    ['ฉันชอบกินข้าวผัด', 'ข้าว'],
    ['iPhoneのケース', 'iphone'],
  ])('of %s include %s', (text, word) => {
    expect(wordsOf(text)).toContain(word)
  })

  it('keep the vowels of scripts that write them as marks', () => {
    expect(wordsOf('हिन्दी')).toEqual(['हिन्दी'])
  })
})
