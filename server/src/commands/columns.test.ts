import { expect, it } from 'vitest'
import { inColumns } from './columns.ts'

it('puts cells below each other', () => {
  const rows = [
    ['NAME', 'PLAN'],
    ['Grace', 'pro'],
  ]
  expect(inColumns(rows)).toEqual(['NAME   PLAN', 'Grace  pro'])
})

it("lets nobody's name begin a row, move the cursor or turn the direction of writing", () => {
  const [line = '', ...more] = inColumns([['x\nadmin@corp.example  Admin', 'a\u001b]52;c\u0007b\u202ec', 'end']])
  expect(more).toEqual([])
  expect(line).toBe('x admin@corp.example  Admin  a ]52;c b c  end')
})
