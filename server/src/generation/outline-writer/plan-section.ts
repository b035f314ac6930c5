/** A section as a plan for a writer: what it is for, what belongs into it, what the reader asks. */
export type PlanSection = {
  heading: string
  purpose: string
  notes: string[]
  questions: string[]
  weight: number
  /** 1 comes into every length, 2 from medium on, 3 into long ones. */
  from: 1 | 2 | 3
  /** For the meta description. */
  gist: string
}
