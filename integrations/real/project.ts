/** A framework's project as a host has it: built, served, restarted, and deployed to a disk with nothing on it. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, type Running, type Stage, until } from './stage.ts'
import { tellStory } from './story.ts'

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
  await client.sites.delete(site.id)
  for await (const { id } of client.posts.all()) await client.posts.delete(id)
}
