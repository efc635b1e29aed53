// Runs before a script, in the same interpreter: takes away what makes results differ from run to run, and what can
// work on for hours without a step at which it could be stopped.
(() => {
  "use strict"
  const refuse = (what) => () => {
    throw new Error(`A script has no ${what}: the same request has to give the same result.`)
  }
  Math.random = refuse("chance")
  const clock = function Date() {
    refuse("clock")()
  }
  clock.now = clock.parse = clock.UTC = refuse("clock")
  globalThis.Date = clock

  const { apply } = Reflect
  const { getOwnPropertyDescriptor, defineProperty } = Object
  const { isArray } = Array
  const MAX_LENGTH = 5_000_000
  const guard = (owner, key) => {
    const property = getOwnPropertyDescriptor(owner, key)
    if (typeof property?.value !== "function") return
    const original = property.value
    const guarded = {
      [key](...args) {
        if (this !== null && this !== undefined && this.length > MAX_LENGTH) {
          throw new RangeError(`A list of ${this.length} items is longer than a script may work on.`)
        }
        for (let at = 0; at < args.length; at++) {
          if (isArray(args[at]) && args[at].length > MAX_LENGTH) {
            throw new RangeError(`A list of ${args[at].length} items is longer than a script may work on.`)
          }
        }
        return apply(original, this, args)
      },
    }[key]
    defineProperty(owner, key, { ...property, value: guarded })
  }
  for (const key of Reflect.ownKeys(Array.prototype)) {
    if (key !== "constructor") guard(Array.prototype, key)
  }
})()
