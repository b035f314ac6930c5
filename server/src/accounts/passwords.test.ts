import { describe, expect, it } from 'vitest'
import { assertNotGuessable } from './passwords.ts'

const check =
  (password: string, email = 'ada.lovelace@example.com') =>
  () =>
    assertNotGuessable('password', password, email)

describe('passwords that are guessed first', () => {
  it.each([
    'password', 'PassWord1', 'ｐａｓｓｗｏｒｄ', '12345678', '1q2w3e4r', 'dragon123', // on the list
    '00000000', '19841984', 'blablabla', '1234512345', // repetitions
    '87654321', 'lkjhgfds', 'poiuytrewq', 'abcdefghijkl', // runs
  ])('refuses %s, which is common', (password) => {
    expect(check(password)).toThrow(expect.objectContaining({ field: 'password', message: expect.stringContaining('common') }))
  }) // biome-ignore format: passwords by kind

  it.each([
    'ada.lovelace@example.com',
    'Ada.Lovelace@Example.com',
    'ada.lovelace1815',
    '!!Ada.Lovelace!!',
    'ada.lovelace@example.com1',
  ])('refuses %s, which is the e-mail address or its name', (password) => {
    expect(check(password)).toThrow('your e-mail address')
  })

  it.each(['postrider', 'Postrider!', '2026postrider'])('refuses %s, which is the name of the service', (password) => {
    expect(check(password)).toThrow('the name of this service')
  })

  it.each([
    'correct horse',
    'battery staple',
    'postrider rides by night',
    'ada.lovelace was here',
    '83610749',
    'xk7-pq2-mm9',
  ])('takes %s', (password) => {
    expect(check(password)).not.toThrow()
    expect(check(password, 'a@example.com')).not.toThrow()
  })

  it('does not take the middle of the list, nor two of its lines, for one password', () => {
    expect(check('password\n12345678')).not.toThrow()
    expect(check('a8f3sswordx')).not.toThrow()
  })

  it('says so of a password without any letter, whatever the address', () => {
    expect(check('73920561', '12345@example.com')).not.toThrow()
  })
})
