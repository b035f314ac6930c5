/** Bringing posts along from another system, in three steps; and taking all posts out. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../ui/page.tsx'
import { Choose } from './import/choose.tsx'
import { EarlierImports } from './import/earlier.tsx'
import { Export } from './import/export.tsx'
import { OneImport } from './import/one.tsx'

/** The screen: of the import in the address, or of a new one. */
export function Import() {
  const { id } = useSearch({ from: '/inside/import' })
  const navigate = useNavigate()
  const show = (next: string | undefined) => void navigate({ to: '/import', search: { id: next } })
  return (
    <Page
      narrow
      title="Import and export"
      lead={id === undefined ? 'Bring your posts along from another system, or take all of them out.' : undefined}
    >
      {id === undefined ? (
        <>
          <Choose onChosen={show} />
          <EarlierImports />
          <Export />
        </>
      ) : (
        <OneImport key={id} id={id} onLeft={() => show(undefined)} />
      )}
    </Page>
  )
}
