import { UaError } from "../errors.js";
import type { Result } from "../graph/result.js";
import { parseDelivery, parseResult } from "../graph/result.js";
import type { Layer, TourStep } from "../graph/types.js";
import type { DescriptionAnswer } from "../knowledge/answers.js";
import { isObject, isText, listOf, oneOf } from "../store/check.js";

/** What a model says about the symbols of an update. */
export interface Answers {
  descriptions: ReadonlyMap<string, DescriptionAnswer>;
  unchanged: readonly string[];
  layers?: Layer[];
  tour?: TourStep[];
}

/** Of one summary. */
const MOST_CHARACTERS = 4000;
const MOST_TAGS = 50;

/** A delivery in either form: descriptions of symbols, or nodes and edges. */
export function parseAnswersOrResult(text: string, root: string): { answers: Answers } | { result: Result } {
  const given = parseDelivery(text);
  if (!isObject(given) || (given.descriptions === undefined && given.unchanged === undefined))
    return { result: parseResult(text, root) };
  if (given.nodes !== undefined || given.edges !== undefined || given.files !== undefined)
    throw refused('it has "descriptions" or "unchanged", and "nodes", "edges" or "files"; deliver one form at a time');
  const { layers, tour } = parseResult(
    JSON.stringify({ nodes: [], edges: [], layers: given.layers, tour: given.tour }),
    root,
  );
  return {
    answers: {
      descriptions: descriptionsIn(given.descriptions ?? {}),
      unchanged: unchangedIn(given.unchanged ?? []),
      ...(layers === undefined ? {} : { layers }),
      ...(tour === undefined ? {} : { tour }),
    },
  };
}

function descriptionsIn(given: unknown): Map<string, DescriptionAnswer> {
  if (!isObject(given)) throw refused('its "descriptions" is not an object of descriptions by id');
  return new Map(Object.entries(given).map(([id, one]) => [id, descriptionOf(id, one)]));
}

const isComplexity = oneOf("simple", "moderate", "complex");

/** Models write null for what they leave out. */
function descriptionOf(id: string, given: unknown): DescriptionAnswer {
  const what = `the description of ${JSON.stringify(id)}`;
  if (!isObject(given)) throw refused(`${what} is not an object with a "summary"`);
  const { summary, tags = null, complexity = null } = given;
  if (!isText(summary) || summary.trim() === "" || summary.length > MOST_CHARACTERS)
    throw refused(`${what} needs a "summary" of 1 to ${MOST_CHARACTERS} characters`);
  if (tags !== null && !(listOf(isText)(tags) && tags.length <= MOST_TAGS))
    throw refused(`the "tags" in ${what} are not a list of at most ${MOST_TAGS} texts`);
  if (complexity !== null && !isComplexity(complexity))
    throw refused(`the "complexity" in ${what} is none of "simple", "moderate", "complex"`);
  return { summary, ...(tags === null ? {} : { tags }), ...(complexity === null ? {} : { complexity }) };
}

function unchangedIn(given: unknown): string[] {
  if (!listOf(isText)(given)) throw refused('its "unchanged" is not a list of ids');
  return [...new Set(given)];
}

function refused(why: string): UaError {
  const next =
    'an answer is { "descriptions": { "<id>": { "summary", "tags"?, "complexity"? } }, "unchanged": ["<id>"] }; nothing was changed';
  return new UaError("usage", `the answer cannot be used: ${why}`, next);
}
