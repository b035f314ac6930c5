import { fileURLToPath } from 'node:url'

/** Whether this is the package, which runs bundled JavaScript; otherwise it is a checkout, which runs its sources. */
export const IS_PACKAGE: boolean = import.meta.url.endsWith('.js')

/** What starts the sample site beside this service. npx puts the package's programs into no PATH: there, it is the program's whole path. */
export const SAMPLE_SITE = IS_PACKAGE ? programOfPackage('postrider-sample-site') : 'npm run sample-site'

function programOfPackage(name: string): string {
  return process.env.npm_command === 'exec' ? fileURLToPath(new URL(`../../bin/${name}.js`, import.meta.url)) : name
}
