/** Runs beside every test file whose services run apart: ends the processes that the file's services have shared. */
import { afterAll } from 'vitest'
import { endMembers } from './members.ts'

afterAll(endMembers)
