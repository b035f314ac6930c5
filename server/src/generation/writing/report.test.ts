import { describe, expect, it } from 'vitest'
import { figuresToCheck, keywordReport, keywordWarnings, repeatedSentences } from './report.ts'
import { mentions, overlap, shorten } from './words.ts'

describe('a mention', () => {
  it.each([
    ['Heat pumps are quiet.', 'heat pump', 1],
    ['A HEAT-PUMP and a heat pump', 'Heat Pump', 2],
    ['The heat of a pump', 'heat pump', 0],
    ['cartoon', 'car', 0],
    ['A dog’s bed and dogs', 'dog', 2],
    ['Tomaten gießen, Tomaten ernten', 'tomaten gießen', 1],
    ['トマトの水やりは朝に', '水やり', 1],
    ['ha ha ha', 'ha ha', 1],
    ['anything', '', 0],
  ])('in %j of %j: %i', (text, phrase, count) => {
    expect(mentions(text, phrase).count).toBe(count)
  })

  it('comes after so many words', () => {
    expect(mentions('One two three four', 'three four').first).toBe(2)
    expect(mentions('One two', 'three').first).toBeUndefined()
  })
})

it('a point is covered when its telling words occur, whatever their endings', () => {
  expect(overlap('watering in the morning', 'He waters every morning.')).toBe(1)
  expect(overlap('watering in the evening', 'He waters every morning.')).toBe(0.5)
  expect(overlap('', 'anything')).toBe(1)
})

it('a text is cut at the end of a word', () => {
  expect(shorten('Water the roots, not the leaves', 20)).toBe('Water the roots…')
  expect(shorten('short', 5)).toBe('short')
  expect([...shorten('😀'.repeat(50), 10)]).toHaveLength(10)
})

describe('the keyword report', () => {
  const places = {
    title: 'Heat pumps in old houses',
    slug: 'heat-pumps-old-houses',
    description: 'What a heat pump costs.',
    headings: ['Where it stands', 'Noise'],
    text: `${'word '.repeat(120)}A heat pump. ${'word '.repeat(77)}`,
  }
  const report = keywordReport({ keywords: ['heat pump', 'noise', 'insulation'] }, places)

  it('says where each stands', () => {
    expect(report).toEqual([
      {
        keyword: 'heat pump',
        primary: true,
        occurrences: 1,
        density: 1,
        inTitle: true,
        inSlug: true,
        inDescription: true,
        inIntroduction: false,
        inHeadings: false,
      },
      {
        keyword: 'noise',
        primary: false,
        occurrences: 0,
        density: 0,
        inTitle: false,
        inSlug: false,
        inDescription: false,
        inIntroduction: false,
        inHeadings: true,
      },
      expect.objectContaining({ keyword: 'insulation', occurrences: 0 }),
    ])
  })

  it('warns of what is missing and of too much', () => {
    expect(keywordWarnings(report)).toEqual([
      'The text does not contain “noise”, “insulation”.',
      'The main keyword “heat pump” is missing from the first 100 words, the headings.',
    ])
    const stuffed = keywordReport({ keywords: ['heat pump'] }, { ...places, text: 'heat pump '.repeat(10) })
    expect(keywordWarnings(stuffed).join()).toContain('use it less')
  })
})

it('figures are found for checking', () => {
  expect(figuresToCheck('It costs $1,200 or 15 % more, 3 million people since 2019; 4 steps, 73% and €5.')).toEqual([
    '$1,200',
    '15 %',
    '3 million',
    '2019',
    '73%',
    '€5',
  ])
  expect(figuresToCheck('Use two of the 3 buckets for 10 minutes.')).toEqual([])
})

it('sentences that stand twice are found', () => {
  const sentence = 'The water goes to the root and not to the leaf.'
  expect(repeatedSentences(`${sentence} Yes. ${sentence} Yes.`)).toEqual([sentence])
  expect(repeatedSentences('A b c. D e f.')).toEqual([])
})
