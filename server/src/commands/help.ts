import { type Command, PROGRAM } from './command.ts'

/** The list of commands. */
export function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => usage(command).length))
  return [
    'Postrider: write a post once, deliver it to every site.',
    '',
    `Usage: ${PROGRAM} [COMMAND]`,
    '',
    ...commands.map((command) => `  ${usage(command).padEnd(width)}  ${command.summary}`),
    '',
    `${PROGRAM} help COMMAND describes one command. Configuration is by environment variables; docs/operating-reference.md lists them all.`,
  ].join('\n')
}

/** Everything about one command. */
export function describe(command: Command): string {
  const options = Object.entries(command.options).map(([name, option]): [string, string] => [
    option.value === undefined ? `--${name}` : `--${name} ${option.value}`,
    option.meaning,
  ])
  const width = Math.max(0, ...options.map(([flag]) => flag.length))
  return [
    `Usage: ${PROGRAM} ${usage(command)}${options.length > 0 ? ' [OPTIONS]' : ''}`,
    '',
    `${command.summary}.`,
    '',
    command.details,
    ...(options.length > 0 ? ['', ...options.map(([flag, meaning]) => `  ${flag.padEnd(width)}  ${meaning}`)] : []),
  ].join('\n')
}

function usage(command: Command): string {
  return [command.name, ...command.operands].join(' ')
}
