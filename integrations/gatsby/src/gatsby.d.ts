/** What is used of Gatsby, which is too large to be installed for its types; the real thing runs it in real/gatsby.ts. */
declare module 'gatsby' {
  type Node = { id: string }
  type Actions = {
    createTypes(types: string): void
    createNode(node: Node & Record<string, unknown>): void
    touchNode(node: Node): void
    deleteNode(node: Node): void
    createRedirect(redirect: { fromPath: string; toPath: string; isPermanent: boolean; force: boolean }): void
  }
  type Nodes = { getNode(id: string): Node | undefined; getNodesByType(type: string): Node[] }
  type Schema = { string(): Schema; object(keys: Record<string, Schema>): Schema }
  export type SourceNodesArgs = Nodes & {
    actions: Actions
    cache: { get(key: string): Promise<unknown>; set(key: string, value: unknown): Promise<unknown> }
    createNodeId(input: string): string
    createContentDigest(input: object): string
    reporter: { warn(message: string): void }
  }
  export type GatsbyNode = {
    pluginOptionsSchema(api: { Joi: Schema }): Schema
    createSchemaCustomization(api: { actions: Actions }): void
    sourceNodes(api: SourceNodesArgs, options: object): Promise<void>
    createPages(api: Nodes & { actions: Actions }, options: object): void
    onPostBuild(
      api: Pick<SourceNodesArgs, 'cache' | 'getNodesByType'> & {
        basePath: string
        store: { getState(): { program: { directory: string } } }
      },
      options: object,
    ): Promise<void>
  }
}
