import { CommandError } from './command.ts'

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
}

/** Says what is wrong with a file that the operator named; any other error stays as it is. */
export function fileProblem(error: unknown, path: string): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return error
  const reason = REASONS[String(error.code)]
  return reason === undefined ? error : new CommandError(`${path} cannot be read or written: ${reason}.`)
}
