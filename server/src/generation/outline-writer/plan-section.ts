/** The plan of a section: its purpose, its content, the reader's questions. */
export type PlanSection = {
  heading: string
  purpose: string
  notes: string[]
  questions: string[]
  weight: number
  /** The shortest length with this section: 1 short, 2 medium, 3 long. */
  from: 1 | 2 | 3
  /** For the meta description. */
  gist: string
}
