import { checkModel } from '../../generation/index.ts'
import { modelName } from '../../platform/ai-config.ts'
import type { Config } from '../../platform/config.ts'
import { createEgress } from '../../platform/egress/egress.ts'
import { VERSION } from '../../version.ts'
import { about, type Finding } from './finding.ts'

const LONGEST_DETAIL = 200

/** Asks the configured model one short question. */
export async function checkDrafts({ ai: { model } }: Config): Promise<Finding> {
  const what = about('model')
  if (model === undefined) return what.unknown('none configured (AI_MODEL); drafts are outlines to write from')
  const egress = createEgress({ allow: 'none', userAgent: `Postrider/${VERSION}` })
  try {
    const found = await checkModel(egress, model)
    const text = `${modelName(model)} at ${model.baseUrl}`
    if (found.ok) return what.good(`${text} answered in ${Math.round(found.tookMs)} ms`)
    const detail = found.detail === '' ? '' : ` (${found.detail.slice(0, LONGEST_DETAIL)})`
    return what.bad(`${text}: ${found.advice}${detail}`)
  } finally {
    await egress.close()
  }
}
