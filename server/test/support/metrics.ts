/** What services tell of themselves at /metrics, read as Prometheus reads it. */

/** The values of one scrape, by name with labels as written: `postrider_attempts_total{outcome="delivered"}`. */
export async function scrape(url: string, token: string): Promise<Map<string, number>> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  if (response.status !== 200) throw new Error(`GET ${url}/metrics is answered with ${response.status}`)
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))]
    }),
  )
}
