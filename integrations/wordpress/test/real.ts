/**
 * The plugin in a real WordPress (Debian's packages: wordpress, mariadb-server, php-fpm, nginx-light, chromium), before the real service: installed and
 * set up through WordPress's own forms, and changed as its owner changes it.
 */
import type { Stage } from '../../real/stage.ts'
import type { Bench } from './real/bench.ts'
import { opensInEditor } from './real/editor.ts'
import { keepsDecisions, offersNewerTexts } from './real/owner.ts'
import { startPictures } from './real/pictures.ts'
import {
  copiesPictures,
  fetchesEarlierPosts,
  keepsPosts,
  surviveRestart,
  takesManyAtOnce,
  worksWithoutUploads,
} from './real/posts.ts'
import {
  answersWithoutPermalinks,
  connects,
  installs,
  isNotConnected,
  refusesOldSecret,
  uninstalls,
} from './real/setting-up.ts'
import { startWordPress } from './real/site.ts'

/** In their order: each leaves the site as the next one expects it. */
const CHECKS: ReadonlyArray<(bench: Bench) => Promise<void>> = [
  installs,
  isNotConnected,
  connects,
  keepsPosts,
  keepsDecisions,
  offersNewerTexts,
  opensInEditor,
  copiesPictures,
  worksWithoutUploads,
  takesManyAtOnce,
  surviveRestart,
  refusesOldSecret,
  answersWithoutPermalinks,
  fetchesEarlierPosts,
  uninstalls,
]

/** Checks everything; throws at the first thing that is wrong. Resolves with the versions of what was tried. */
export async function tell(stage: Stage): Promise<Record<string, string>> {
  const pictures = await startPictures()
  const site = await startWordPress(pictures.host)
  try {
    const { site: connected, connection } = await stage.connect(site.url, '/wp-json/postrider/v1/webhook')
    const bench: Bench = { ...stage, site, pictures, connected, connection }
    for (const check of CHECKS) await check(bench)
    const complaints = await site.complaints()
    if (complaints !== '') throw new Error(`PHP complained:\n${complaints}`)
    return await site.versions()
  } finally {
    await site.stop()
    await pictures.close()
  }
}
