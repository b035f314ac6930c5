import type { Site, SiteWithSecrets } from '@postrider/sdk'
import { useMutation } from '@tanstack/react-query'
import { api, sentence } from '../../api.ts'
import { keepSite, queryClient, siteWithSecretsQuery } from '../../queries.ts'
import { fieldsOf, type Made } from '../../sites/made-with.ts'
import { Field, Select } from '../../ui/field.tsx'

type MadeWithChoiceProps<Name extends Made> = {
  site: SiteWithSecrets
  names: readonly Name[]
  value: Name
  labels: Readonly<Record<Name, { name: string }>>
}

/** Chooses what a connected site is made with, which the site keeps. */
export function MadeWithChoice<Name extends Made>({ site, names, value, labels }: MadeWithChoiceProps<Name>) {
  const { queryKey } = siteWithSecretsQuery(site.id)
  const choose = useMutation({
    mutationFn: (made: Name): Promise<Site> => api.sites.update(site.id, fieldsOf(made)),
    onSuccess(saved) {
      const { platform, framework } = saved
      queryClient.setQueryData(queryKey, (known) => known && { ...known, platform, framework })
      keepSite(saved)
    },
  })
  return (
    <Field label="Your site is made with" error={choose.isError ? sentence(choose.error) : undefined}>
      <Select
        value={choose.isPending ? choose.variables : value}
        onChange={({ target }) => choose.mutate(target.value as Name)} // an option's
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {labels[name].name}
          </option>
        ))}
      </Select>
    </Field>
  )
}
