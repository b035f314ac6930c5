/** Whether this is the package, which runs bundled JavaScript; otherwise it is a checkout, which runs its sources. */
export const IS_PACKAGE: boolean = import.meta.url.endsWith('.js')
