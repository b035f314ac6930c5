import openapiTS, { astToString } from 'openapi-typescript'

/** The SDK's types for an OpenAPI document (JSON text), as TypeScript source. */
export async function typesOf(document: string): Promise<string> {
  const ast = await openapiTS(JSON.parse(document), { defaultNonNullable: false })
  return `// Generated from openapi/openapi.json by npm run gen. Do not edit.\n\n${astToString(ast)}`
}
