/** A framework's project as a host has it: built, served, restarted, and deployed to a disk with nothing on it. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { write } from './shown.ts'
import { freePort, type Running, type Stage, until } from './stage.ts'
import { tellStory, visit } from './story.ts'

/** The project of a framework. */
export type Project = {
  /** What a build leaves, which no deploy takes along. */
  made: readonly string[]
  build(env: Record<string, string>): Promise<unknown>
  /** The command that serves what was built. */
  serve: readonly [command: string, ...args: string[]]
  /** The site's settings besides its connection code and its port. */
  env(url: string): Record<string, string>
  /** Called once it is built. */
  check?(): Promise<unknown>
  /** What is seen once it is built and serves. */
  built: string
  /** The command that serves it while it is developed. */
  develop?(port: string): readonly [command: string, ...args: string[]]
  /** Called after the story. */
  lookAround?(url: string): Promise<void>
}

/** Tells a project the story, and leaves the account without sites and posts. */
export async function tellProject(stage: Stage, project: Project): Promise<void> {
  const { client, directory } = stage
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { site, connection } = await stage.connect(url, '/api/postrider')
  const env = { POSTRIDER_CONNECTION: connection, PORT: String(port), ...project.env(url) }
  const [command, ...args] = project.serve
  let server: Running | undefined
  const build = async () => {
    for (const made of project.made) await rm(join(directory, made), { recursive: true, force: true })
    await project.build(env)
  }
  const start = async () => {
    server = stage.start(command, args, { env })
    await until('the site answers', async () => (await fetch(url)).ok, server)
  }
  await build()
  await project.check?.()
  await start()
  stage.seen(project.built)
  await tellStory({
    stage,
    site,
    blog: `${url}/blog`,
    async restart() {
      await server?.end()
      await start()
    },
    async redeploy() {
      await server?.end()
      await build()
      await start()
    },
  })
  await project.lookAround?.(url)
  await server?.end()
  if (project.develop !== undefined) await tellOfDeveloping(stage, connection, String(port), project.develop)
  await client.sites.delete(site.id)
  for await (const { id } of client.posts.all()) await client.posts.delete(id)
}

/** While a site is developed nobody hands it the environment of a host: its connection code is in the file that the dashboard names. */
async function tellOfDeveloping(
  { client, directory, start, seen }: Stage,
  connection: string,
  port: string,
  develop: NonNullable<Project['develop']>,
): Promise<void> {
  await client.posts.create({ title: 'While it is developed', body: { markdown: 'Text' }, status: 'published' })
  await write(directory, '.env', `POSTRIDER_CONNECTION=${connection}\n`)
  const [command, ...args] = develop(port)
  const server = start(command, args)
  const blog = `http://127.0.0.1:${port}/blog`
  await until('it shows the post', async () => (await visit(blog)).body.includes('While it is developed'), server)
  await server.end()
  await rm(join(directory, '.env'))
  seen('the framework’s own development server shows posts, with the connection code in `.env`')
}
