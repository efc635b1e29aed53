// The tools of the pipeline, and the part of it that is code. They run in a sandbox; `context.state` is the session's
// state, to read and to write.

const CAMPAIGNS = ["Sandals", "Beach towels", "Sun hats"]

/** Stores a query to be run. */
export function save_query({ id, title, query }, context) {
  const queries = context.state.queries ?? {}
  queries[id] = { title, query, status: "new" }
  context.state.queries = queries
  return { status: "stored", id }
}

/** Runs a stored query: rows of an invented account, the same each time. */
export function run_query({ id }, context) {
  const queries = context.state.queries ?? {}
  if (queries[id] === undefined) throw new Error(`There is no query ${id}.`)
  const rows = []
  for (let day = 1; day <= 30; day++) {
    CAMPAIGNS.forEach((name, at) => {
      const clicks = 40 + ((day * 7 + at * 13) % 23)
      rows.push({
        campaign: name,
        day: `2026-06-${String(day).padStart(2, "0")}`,
        impressions: clicks * (18 + at),
        clicks,
        cost_micros: clicks * (310000 + at * 45000),
        conversions: clicks % 6,
        conversion_value_micros: (clicks % 6) * 24500000,
      })
    })
  }
  context.state.rows = { ...context.state.rows, [id]: rows }
  queries[id] = { ...queries[id], status: "success", row_count: rows.length }
  context.state.queries = queries
  return { status: "success", rows }
}

/** Sums the rows up by campaign, so that the writer never sees them. */
export function summariser(_input, context) {
  const sums = {}
  for (const rows of Object.values(context.state.rows ?? {})) {
    for (const row of rows) {
      const sum = (sums[row.campaign] ??= { clicks: 0, cost: 0, conversions: 0, value: 0 })
      sum.clicks += row.clicks
      sum.cost += row.cost_micros / 1e6
      sum.conversions += row.conversions
      sum.value += row.conversion_value_micros / 1e6
    }
  }
  for (const sum of Object.values(sums)) {
    sum.cost_per_click = Number((sum.cost / sum.clicks).toFixed(3))
    sum.return_on_spend = Number((sum.value / sum.cost).toFixed(2))
    sum.cost = Number(sum.cost.toFixed(2))
  }
  context.state.summary = sums
}
