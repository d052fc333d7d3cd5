"""What the recipes of sources/ have to make of real files of their upstreams: a second implementation of the rules in their
READMEs, with the standard library alone and no code of the recipes.

    python3 scripts/upstream-oracle.py FOLDER                       counts and hashes of every upstream and day, as JSON
    python3 scripts/upstream-oracle.py FOLDER --rows UPSTREAM DAY   the records of one day by dataset, as JSON

FOLDER holds <upstream>/<day>/<files>, each file as it is or with .gz; LMArena's boards as {"meta", "rows"} in JSON. Records are those
of a first night: without updated_at, without bad rows and without suspects, in the order of their keys. The upstream `public` joins
the newest days of the others that sources/public joins.
"""

import csv
import gzip
import hashlib
import io
import json
import math
import os
import re
import sys
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

KEYS = {
    "models": ["id"],
    "benchmarks": ["id"],
    "scores": ["model_id", "benchmark_id"],
    "rankings": ["model_id", "category"],
    "pricing": ["model_id", "provider"],
}
PRICE_MIN = 0.0001

# What version 1.2 of the records added to models, in order. Null is left out here, as in what the night's records are compared as.
ADDED = (
    ["status", "deprecated_on", "retires_on", "replaced_by", "max_output_tokens", "knowledge_cutoff"]
    + ["open_weights", "modalities", "capabilities"]
)
ADDED_TO_SCORES = ("stderr", "variant", "reported_by", "source_url", "n")


def text_of(folder, name):
    path = os.path.join(folder, name)
    if os.path.exists(path):
        with open(path, "rb") as file:
            return file.read().decode("utf-8")
    with gzip.open(path + ".gz") as file:
        return file.read().decode("utf-8")


def json_of(folder, name):
    return json.loads(text_of(folder, name))


def clean(value):
    """A trimmed text; None if empty or not a text."""
    return (value.strip(" \t\r\n") or None) if isinstance(value, str) else None


def whole_date(value):
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        return None
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        return None


def tokens(value):
    """A context length, if it is a plausible number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number) if 1 <= number < 99_999_999 else None


def output_limit(value):
    """As `tokens`; a limit of ten million or more is a placeholder."""
    limit = tokens(value)
    return limit if limit is not None and limit < 10_000_000 else None


def modalities(takes, gives):
    sides = {"input": takes, "output": gives}
    return {side: sorted({"pdf" if kind == "file" else kind for kind in kinds}) for side, kinds in sides.items()}


def rounded(value):
    """To 6 places, halves away from 0."""
    return float(Decimal(repr(float(value))).quantize(Decimal("1e-6"), ROUND_HALF_UP))


def dollars(value):
    return value if abs(value) < PRICE_MIN else rounded(value)


def fact(id, name=None, organization=None, released=None, context=None, serves=None, is_other=False, **added):
    """A model in one upstream or provider, under one of its names."""
    stated = {"name": name, "organization": organization, "release_date": released, "context_length": context}
    return {"id": id, "stated": stated, "added": added, "serves": serves, "is_other": is_other, "step": 0, "model_id": id}


def order_of(stated):
    return (stated["step"], stated["is_other"], stated["id"] != stated["model_id"], stated["serves"] or "", stated["id"])


def models_from(facts):
    """One record per model: each field from the first upstream that has it; the source is the first upstream."""
    by_model = {}
    for one in sorted(facts, key=order_of):
        by_model.setdefault(one["model_id"], []).append(one)
    models = []
    for id, ones in by_model.items():
        fields = {field: first(one["stated"][field] for one in ones) for field in ones[0]["stated"]}
        fields["name"] = fields["name"] or ones[0]["id"]
        serving = sorted({one["serves"] for one in ones if one["serves"] is not None})
        added = {field: first(one["added"].get(field) for one in ones) for field in ADDED}
        known = {field: value for field, value in added.items() if value is not None}
        models.append({"id": id, **fields, "inference": serving or None, "source": ones[0]["upstream"], **known})
    return models


def price(model_id, provider, input, output, since=None, rates=None):
    row = {
        "model_id": model_id,
        "provider": provider,
        "input_per_million": None if input is None else dollars(float(input)),
        "output_per_million": None if output is None else dollars(float(output)),
        "currency": "USD",
        "effective_from": since,
    }
    return row if rates is None else {**row, "source": None, "rates": rates}


def rate(meter, price, unit="token", tier=None, above=None):
    """A price of a million tokens, or of one of any other unit; of requests with more input tokens than `above`."""
    price = float(price)
    if unit == "token":
        price = dollars(price)
    elif price >= 1e-7:
        price = float(Decimal(repr(price)).quantize(Decimal("1e-9"), ROUND_HALF_UP))
    when = {"tier": tier, "context_min": above, "applies": None if above is None else "request"}
    when = {name: value for name, value in when.items() if value is not None}
    stated = {"meter": meter, "unit": unit, "per": 1_000_000 if unit == "token" else 1, "price": price}
    return {**stated, "when": when} if when else stated


def in_order_of_rates(rates):
    def order(one):
        when = one.get("when", {})
        return one["meter"], when.get("tier", ""), when.get("context_min", 0), when.get("applies", ""), one["unit"]

    return sorted(rates, key=order)


def score(model_id, benchmark_id, value, source, measured=None, **added):
    stated = {"model_id": model_id, "benchmark_id": benchmark_id, "value": rounded(value), "source": source, "measured_at": measured}
    return {**stated, **{field: added[field] for field in ADDED_TO_SCORES if added.get(field) is not None}}


def benchmark(id, name, category):
    return {"id": id, "name": name, "category": category, "model_count": 0}


def first(values):
    return next((value for value in values if value is not None), None)


# models.dev: providers of their own models.
MAKERS = {
    "alibaba": ("Alibaba", ("qvq-", "qwen", "qwq-")),
    "alibaba-cn": ("Alibaba", ("qvq-", "qwen", "qwq-")),
    "amazon-bedrock": ("Amazon", ("amazon.",)),
    "anthropic": ("Anthropic", ("claude-",)),
    "cohere": ("Cohere", ("c4ai-", "command-")),
    "deepseek": ("DeepSeek", ("deepseek-",)),
    "google": ("Google", ("gemini-", "gemma-")),
    "inception": ("Inception", ("mercury",)),
    "minimax": ("MiniMax", ("MiniMax-",)),
    "minimax-cn": ("MiniMax", ("MiniMax-",)),
    "moonshotai": ("Moonshot AI", ("kimi-",)),
    "moonshotai-cn": ("Moonshot AI", ("kimi-",)),
    "morph": ("Morph", ("morph-",)),
    "nova": ("Amazon", ("nova-",)),
    "nvidia": ("NVIDIA", ("nvidia/",)),
    "openai": ("OpenAI", ("",)),
    "perplexity": ("Perplexity", ("sonar",)),
    "stepfun": ("StepFun", ("step-",)),
    "tencent-tokenhub": ("Tencent", ("hy",)),
    "upstage": ("Upstage", ("solar-",)),
    "v0": ("Vercel", ("v0-",)),
    "xai": ("xAI", ("grok-",)),
    "xiaomi": ("Xiaomi", ("mimo-",)),
    "zai": ("Z.ai", ("glm-",)),
    "zhipuai": ("Z.ai", ("glm-",)),
}


def maker_of(provider, id):
    if provider == "mistral":
        return "Mistral AI" if "tral" in id else None
    organization, prefixes = MAKERS.get(provider, (None, ()))
    return organization if any(id.startswith(prefix) for prefix in prefixes) else None


DEV_METERS = {
    **{name: name for name in ("input", "output", "reasoning", "cache_read", "cache_write")},
    **{"input_audio": "audio_in", "output_audio": "audio_out"},
}
TIERS = ("batch", "flex", "priority", "fast")
DEV_STATUS = {"alpha": "preview", "beta": "preview", "deprecated": "retired"}


def dev_rates(entry):
    def of_card(card, **when):
        return [rate(DEV_METERS[name], amount, **when) for name, amount in card.items() if name in DEV_METERS and amount is not None]

    cost = entry.get("cost") or {}
    rates = of_card(cost)
    tiers = cost.get("tiers") or []
    if not tiers and "context_over_200k" in cost:
        tiers = [{**cost["context_over_200k"], "tier": {"size": 200_000}}]
    for tier in tiers:
        rates += of_card(tier, above=tier["tier"]["size"])
    named = set()
    for mode, about in ((entry.get("experimental") or {}).get("modes") or {}).items():
        tier = about.get("provider", {}).get("body", {}).get("service_tier", mode)
        if tier in TIERS and tier not in named:
            rates += of_card(about.get("cost") or {}, tier=tier)
        named.add(tier)
    return in_order_of_rates(rates)


def dev_capabilities(entry):
    takes, gives = entry["modalities"]["input"], entry["modalities"]["output"]
    found = {
        "tools": entry.get("tool_call"),
        "structured_output": entry.get("structured_output"),
        "reasoning": entry.get("reasoning"),
        "vision": "image" in takes,
        "pdf": "pdf" in takes,
        "audio_in": "audio" in takes,
        "audio_out": "audio" in gives,
        "video_in": "video" in takes,
    }
    return sorted(name for name, has in found.items() if has)


def models_dev(folder, day):
    facts, prices, statuses = [], [], {}
    providers = json_of(folder, "api.json")
    for provider, about in providers.items():
        for id, entry in about["models"].items():
            statuses.setdefault((id, maker_of(provider, id)), []).append(entry.get("status"))
    for provider, about in providers.items():
        for id, entry in about["models"].items():
            maker, limit = maker_of(provider, id), entry.get("limit") or {}
            released, context = whole_date(entry.get("release_date")), tokens(limit.get("context"))
            is_stated = maker is not None and None not in statuses[(id, maker)]
            knowledge = entry.get("knowledge") or ""
            added = {
                "status": DEV_STATUS[entry["status"]] if is_stated else None,
                "max_output_tokens": output_limit(limit.get("output")),
                "knowledge_cutoff": knowledge if re.fullmatch(r"\d{4}(-\d\d){0,2}", knowledge) else None,
                "open_weights": entry.get("open_weights"),
                "modalities": modalities(entry["modalities"]["input"], entry["modalities"]["output"]),
                "capabilities": dev_capabilities(entry),
            }
            facts.append(fact(id, clean(entry.get("name")), maker, released, context, provider, maker is None, **added))
            cost, rates = entry.get("cost") or {}, dev_rates(entry)
            if rates:
                prices.append(price(id, provider, cost.get("input"), cost.get("output"), rates=rates))
    return {"facts": facts, "pricing": prices}


# LiteLLM: costs, each with the meter and unit that it is for.
LITELLM_COSTS = {
    "input_cost_per_token": ("input", "token"),
    "output_cost_per_token": ("output", "token"),
    "cache_read_input_token_cost": ("cache_read", "token"),
    "cache_creation_input_token_cost": ("cache_write", "token"),
    "cache_creation_input_token_cost_above_1hr": ("cache_write_1h", "token"),
    "output_cost_per_reasoning_token": ("reasoning", "token"),
    "input_cost_per_image_token": ("image_in", "token"),
    "output_cost_per_image_token": ("image_out", "token"),
    "input_cost_per_audio_token": ("audio_in", "token"),
    "output_cost_per_audio_token": ("audio_out", "token"),
    "input_cost_per_image": ("image_in", "image"),
    "output_cost_per_image": ("image_out", "image"),
    "input_cost_per_audio_per_second": ("audio_in", "second"),
    "input_cost_per_request": ("request", "request"),
}
LITELLM_TIERS = {"_flex": "flex", "_priority": "priority", "_batches": "batch", "_batch_requests": "batch"}
LITELLM_ABILITIES = {
    "function_calling": "tools",
    "response_schema": "structured_output",
    "native_structured_output": "structured_output",
    "reasoning": "reasoning",
    "vision": "vision",
    "pdf_input": "pdf",
    "audio_input": "audio_in",
    "audio_output": "audio_out",
    "video_input": "video_in",
    "web_search": "web_search",
    "prompt_caching": "prompt_caching",
    "computer_use": "computer_use",
}
LITELLM_MAKERS = ["gemini", "moonshot", "openai", "xai"] + [f"vertex_ai-{kind}-models" for kind in ("chat", "embedding", "language", "vision")]


def litellm_rates(entry):
    rates = []
    for field, cost in entry.items():
        tier = next((suffix for suffix in LITELLM_TIERS if field.endswith(suffix)), "")
        name, _, above = field.removesuffix(tier).removesuffix("k_tokens").rpartition("_above_")
        if not above.isdigit():
            name, above = field.removesuffix(tier), None
        if name in LITELLM_COSTS and cost is not None:
            meter, unit = LITELLM_COSTS[name]
            dollars = float(cost) * (1e6 if unit == "token" else 1)
            rates.append(rate(meter, dollars, unit, LITELLM_TIERS.get(tier), above and int(above) * 1000))
    if "cache_read_input_token_cost" not in entry and entry.get("input_cost_per_token_cache_hit") is not None:
        rates.append(rate("cache_read", entry["input_cost_per_token_cache_hit"] * 1e6))
    search = entry.get("search_context_cost_per_query", {}).get("search_context_size_medium")
    if search is not None:
        rates.append(rate("search", search, "request"))
    for band in entry.get("tiered_pricing", []):
        for field, (meter, _) in LITELLM_COSTS.items():
            if field in band:
                rates.append(rate(meter, band[field] * 1e6, above=int(band["range"][0]) or None))
    return in_order_of_rates(rates)


def unconditioned(rates, meter):
    """The price that has no condition, of a million tokens."""
    return first(one["price"] for one in rates if one["meter"] == meter and one["unit"] == "token" and "when" not in one)


def litellm(folder, day):
    facts, prices = [], []
    for id, entry in json_of(folder, "model_prices_and_context_window.json").items():
        if id == "sample_spec" or not isinstance(entry, dict) or id.startswith("openrouter/openrouter/"):
            continue
        if entry.get("mode") not in ("chat", "completion", "responses", "embedding"):
            continue
        provider = entry["litellm_provider"]
        sides = [entry.get("supported_modalities"), entry.get("supported_output_modalities")]
        said = {LITELLM_ABILITIES[name]: [] for name in LITELLM_ABILITIES if f"supports_{name}" in entry}
        for name, ability in LITELLM_ABILITIES.items():
            said.get(ability, []).append(entry.get(f"supports_{name}"))
        is_makers = provider in LITELLM_MAKERS or (provider, "claude-") == ("anthropic", id[:7]) or provider == "perplexity" and "sonar" in id
        facts.append(
            fact(
                id,
                id.rsplit("/", 1)[-1],
                context=tokens(entry.get("max_input_tokens")),
                serves=provider,
                retires_on=whole_date(entry.get("deprecation_date")) if is_makers else None,
                max_output_tokens=output_limit(entry.get("max_output_tokens")),
                modalities=None if None in sides else modalities(*sides),
                capabilities=sorted(ability for ability, values in said.items() if True in values) if said else None,
            )
        )
        rates = litellm_rates(entry)
        pair = [unconditioned(rates, meter) for meter in ("input", "output")]
        if pair == [None, None]:
            continue
        is_free = all(not amount for amount in pair)
        if is_free and any("cost" in field and isinstance(cost, (int, float)) and cost > 0 for field, cost in entry.items()):
            continue
        prices.append(price(id, provider, *pair, rates=rates))
    return {"facts": facts, "pricing": prices}


# OpenRouter: prices, each with its meter and unit.
OPENROUTER_PRICES = {
    "prompt": ("input", "token"),
    "completion": ("output", "token"),
    "input_cache_read": ("cache_read", "token"),
    "input_cache_write": ("cache_write", "token"),
    "input_cache_write_1h": ("cache_write_1h", "token"),
    "internal_reasoning": ("reasoning", "token"),
    "image_output": ("image_out", "token"),
    "audio": ("audio_in", "token"),
    "audio_output": ("audio_out", "token"),
    "request": ("request", "request"),
    "web_search": ("search", "request"),
}


def openrouter_rates(prices):
    rates = []
    for card in [prices, *prices.get("overrides", [])]:
        above = card.get("min_prompt_tokens")
        known = dict(OPENROUTER_PRICES)
        if "image" in card:
            known["image"] = ("image_in", "token" if card["image"] == card.get("prompt", prices["prompt"]) else "image")
        for field, (meter, unit) in known.items():
            amount = float(card.get(field, -1))
            if amount > 0 or amount == 0 and meter in ("input", "output"):
                rates.append(rate(meter, amount * (1e6 if unit == "token" else 1), unit, above=above))
    return in_order_of_rates(rates)


def openrouter(folder, day):
    data = json_of(folder, "models.json")["data"]
    stated = {}
    for entry in data:
        name = clean(entry["name"])
        if ": " in name:
            stated.setdefault(entry["id"].split("/")[0], set()).add(name.split(": ")[0])
    facts, prices = [], []
    for entry in data:
        id, name = entry["id"], clean(entry["name"])
        if id.startswith("~"):
            continue
        maker, _, rest = name.partition(": ")
        if not rest:
            siblings = stated.get(id.split("/")[0], set())
            maker, rest = (next(iter(siblings)) if len(siblings) == 1 else None), name
        takes, gives = (entry["architecture"][f"{side}_modalities"] for side in ("input", "output"))
        asked = entry.get("supported_parameters") or []
        abilities = {
            "tools": "tools" in asked,
            "structured_output": "structured_outputs" in asked,
            "reasoning": "reasoning" in asked,
            "web_search": "web_search_options" in asked,
            "vision": "image" in takes,
            "pdf": "file" in takes,
            "audio_in": "audio" in takes,
            "audio_out": "audio" in gives,
            "video_in": "video" in takes,
        }
        facts.append(
            fact(
                id,
                clean(rest),
                maker,
                None,
                tokens(entry["context_length"]),
                "openrouter",
                max_output_tokens=output_limit(entry["top_provider"].get("max_completion_tokens")),
                knowledge_cutoff=whole_date(entry.get("knowledge_cutoff")),
                modalities=modalities(takes, gives),
                capabilities=sorted(name for name, has in abilities.items() if has) if asked else None,
            )
        )
        pair = [float(entry["pricing"][field]) * 1e6 for field in ("prompt", "completion")]
        if min(pair) >= 0:
            prices.append(price(id, "openrouter", *pair, rates=openrouter_rates(entry["pricing"])))
    return {"facts": facts, "pricing": prices}


def holds_at_noon(constraint, day):
    if "start_date" in constraint:
        return constraint["start_date"] <= day
    start, end = constraint["start_time"][:8], constraint["end_time"][:8]
    return start <= "12:00:00" < end if start <= end else not end <= "12:00:00" < start


# genai-prices: fields whose name isn't that of their meter.
GENAI_METERS = {
    "input_audio": "audio_in",
    "output_audio": "audio_out",
    "input_image": "image_in",
    "output_image": "image_out",
    "output_reasoning": "reasoning",
    "output_video": "video_out",
    "requests": "request",
    "web_searches": "search",
}
GENAI_SAME = {"input", "output", "cache_read", "cache_write", "cache_write_1h"}
GENAI_RESELLERS = re.compile(r"avian|aws|azure|cerebras|doubleword|fireworks|groq|huggingface_.*|novita|openrouter|ovhcloud|together")


def genai_rates(prices):
    rates = []
    for field, listed in prices.items():
        name, per = field.rsplit("_", 1)
        meter = GENAI_METERS.get(name, name if name in GENAI_SAME else None)
        if meter is None:
            continue
        unit, divisor = ("request", 1000) if per == "kcount" else ("token", 1)
        bands = [(None, listed["base"])] + [(t["start"], t["price"]) for t in listed["tiers"]] if isinstance(listed, dict) else [(None, listed)]
        rates += [rate(meter, amount / divisor, unit, above=start) for start, amount in bands]
    return in_order_of_rates(rates)


def genai_prices(folder, day):
    facts, prices = [], []
    for provider in json_of(folder, "data.json"):
        for entry in provider["models"]:
            is_makers = not GENAI_RESELLERS.fullmatch(provider["id"]) and not (provider["id"] == "google" and "claude" in entry["id"])
            status = "deprecated" if entry.get("deprecated") and is_makers else None
            name, context = clean(entry.get("name")), tokens(entry.get("context_window"))
            facts.append(fact(entry["id"], name, None, None, context, provider["id"], status=status))
            choices = entry["prices"] if isinstance(entry["prices"], list) else [{"prices": entry["prices"]}]
            chosen = [c for c in choices if c.get("constraint") is None or holds_at_noon(c["constraint"], day)][-1]
            amounts = [chosen["prices"].get(field) for field in ("input_mtok", "output_mtok")]
            amounts = [amount["base"] if isinstance(amount, dict) else amount for amount in amounts]
            if amounts != [None, None]:
                since = (chosen.get("constraint") or {}).get("start_date")
                prices.append(price(entry["id"], provider["id"], *amounts, since, genai_rates(chosen["prices"])))
    return {"facts": facts, "pricing": prices}


def lmarena(folder, day):
    organizations, ranks = {}, {}
    for name in sorted(os.listdir(folder)):
        board = re.sub(r"\.json(\.gz)?$", "", name)
        for row in json_of(folder, f"{board}.json")["rows"]:
            organizations.setdefault(row["model_name"], set()).add(clean(row["organization"]))
            key = (row["model_name"], f"{board}/{row['category']}")
            better = (row["rank"], -row["vote_count"], -row["rating"])
            if key not in ranks or better < ranks[key][0]:
                sigma = None if row["variance"] is None else rounded(math.sqrt(row["variance"]))
                ranks[key] = (better, int(row["rank"]), rounded(row["rating"]), sigma)
    facts = [fact(name, name.strip(), min(known - {None}, default=None)) for name, known in organizations.items()]
    fields = ("model_id", "category", "rank", "trueskill_mu", "trueskill_sigma")
    return {"facts": facts, "rankings": [dict(zip(fields, (*key, *rank[1:]))) for key, rank in ranks.items()]}


# Epoch: the score column of each file, and the name of its benchmark.
EPOCH = """
adversarial_nli_external;Score;Adversarial NLI;language
aider_polyglot_external;Percent correct;Aider polyglot;coding
apex_agents_external;Pass@1 score;APEX-Agents;agents
arc_agi_2_external;Score;ARC-AGI-2;reasoning
arc_agi_external;Score;ARC-AGI-1;reasoning
arc_ai2_external;Challenge score;ARC (AI2) Challenge;science
balrog_external;Average progress;BALROG;agents
bbh_external;Average;BIG-Bench Hard;reasoning
bool_q_external;Score;BoolQ;language
cad_eval_external;Overall pass (%);CadEval;coding
chess_puzzles;mean_score;Chess puzzles;reasoning
common_sense_qa_2_external;Score;CommonsenseQA 2.0;reasoning
cybench_external;Unguided % Solved;Cybench;agents
deepresearchbench_external;Average score;DeepResearch Bench;agents
epoch_capabilities_index;ECI Score;Epoch Capabilities Index;index
fictionlivebench_external;120k token score;Fiction.liveBench (120k tokens);long context
frontiermath;mean_score;FrontierMath (tiers 1 to 3);mathematics
frontiermath_tier_4;mean_score;FrontierMath (tier 4);mathematics
geobench_external;ACW Avg Score;GeoBench (A Community World);vision
gpqa_diamond;mean_score;GPQA Diamond;science
gsm8k_external;EM;GSM8K;mathematics
gso_external;Score OPT@1;GSO;coding
hella_swag_external;Overall accuracy;HellaSwag;reasoning
hle_external;Accuracy;Humanity's Last Exam;knowledge
lambada_external;Score;LAMBADA;language
lech_mazur_writing_external;Mean score;Lech Mazur writing;language
live_bench_external;Global average;LiveBench (as Epoch collects it);overall
math_level_5;mean_score;MATH level 5;mathematics
metr_time_horizons_external;Time horizon;METR time horizons (minutes);agents
mmlu_external;EM;MMLU;knowledge
open_book_qa_external;Accuracy;OpenBookQA;science
os_world_external;Score;OSWorld;agents
otis_mock_aime_2024_2025;mean_score;OTIS mock AIME 2024-2025;mathematics
piqa_external;Score;PIQA;reasoning
science_qa_external;Score;ScienceQA;science
simplebench_external;Score (AVG@5);SimpleBench;reasoning
simpleqa_verified;mean_score;SimpleQA Verified;knowledge
superglue_external;Score;SuperGLUE;language
swe_bench_bash;% Resolved;SWE-bench Verified (bash only);coding
swe_bench_verified;mean_score;SWE-bench Verified;coding
terminalbench_external;Accuracy mean;Terminal-Bench;agents
the_agent_company_external;% Score;TheAgentCompany;agents
trivia_qa_external;EM;TriviaQA;knowledge
video_mme_external;Overall (no subtitles);Video-MME (no subtitles);vision
vpct_external;Correct;VPCT;vision
webdev_arena_external;Arena Score;WebDev Arena;coding
weirdml_external;Accuracy;WeirdML;coding
wino_grande_external;Accuracy;WinoGrande;reasoning
"""


# Epoch: columns of standard errors and sample sizes, where a file has its own.
EPOCH_ERRORS = {
    "apex_agents_external": ("Pass@1 Standard Error", 100),
    "balrog_external": ("Average Standard error", 1),
    "hle_external": ("Accuracy Standard Error", 1),
    "terminalbench_external": ("Accuracy SE", 1),
}
EPOCH_SIZES = {"cad_eval_external": "Total tasks", "webdev_arena_external": "Votes"}
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max", "thinking")


def epoch_facts(file, row):
    """What a row states beside its score."""
    is_own = "Log viewer" in row or file == "epoch_capabilities_index"
    column, parts = EPOCH_ERRORS.get(file, ("stderr" if is_own else "", 1))
    error, size = clean(row.get(column)), clean(row.get(EPOCH_SIZES.get(file, "")))
    links = [row["Log viewer"]] if "Log viewer" in row else [value for name, value in row.items() if name.lower().startswith("source link")]
    link = first(clean(value) for value in links)
    if link is not None and not re.fullmatch(r"https?://[!-~]+", link):
        link = None
    reporter = "evaluator" if is_own else "third_party"
    if link is not None and not is_own:
        site = link.split("/")[2].split(":")[0].split(".")[-2].lower()
        owner = row["Organization"].split(",")[0].replace(" ", "").lower()
        reporter = "maker" if len(site) > 2 and site in owner else reporter
    base, _, suffix = clean(row["Model version"]).rpartition("_")
    is_variant = base != "" and (suffix in EFFORTS or re.fullmatch(r"[0-9]+[kK]", suffix) is not None)
    return {
        "stderr": None if error is None else rounded(float(error) / parts),
        "variant": suffix if is_variant else None,
        "reported_by": reporter,
        "source_url": link,
        "n": None if size is None else int(size),
    }


def epoch(folder, day):
    known = {line.split(";")[0]: line.split(";")[1:] for line in EPOCH.strip().splitlines()}
    names = sorted(name[:-4] for name in os.listdir(folder) if name.endswith(".csv"))
    stated_by_id, results, benchmarks, access = {}, {}, [], {}
    for file in names:
        column, title, category = known.get(file, (None, None, None))
        short = "epoch/" + file.replace("_external", "")
        if column is not None:
            benchmarks.append(benchmark(short, title, category))
        source = "epoch-external" if "_external" in file or file == "swe_bench_bash" else "epoch"
        for row in csv.DictReader(io.StringIO(text_of(folder, f"{file}.csv"), newline="")):
            id = clean(row["Model version"])
            if id is None:
                continue
            place = (file != "epoch_capabilities_index", file)
            stated = (clean(row.get("Display name")), clean(row["Organization"]), whole_date(row["Release date"]))
            stated_by_id.setdefault(id, []).append((place, stated))
            if file == "epoch_capabilities_index" and clean(row["Model accessibility"]) is not None:
                access.setdefault(id, clean(row["Model accessibility"]))
            value = None if column is None else clean(row[column])
            if value is None:
                continue
            started = clean(row.get("Started at")) or ""
            results.setdefault((id, short), []).append((started, float(value), value, source, epoch_facts(file, row)))
    facts = []
    for id, entries in stated_by_id.items():
        entries.sort(key=lambda entry: entry[0])
        listed = access.get(id)
        is_open = None if listed is None else listed.startswith("Open weights")
        facts.append(fact(id, *(first(stated[field] for _, stated in entries) for field in range(3)), open_weights=is_open))
    scores = []
    for key, rows in results.items():
        best = max(row[:2] for row in rows)
        started, value, _, source, added = min((row for row in rows if row[:2] == best), key=lambda row: (row[2], *rest_of(row[4])))
        scores.append(score(*key, value, source, started[:10] or None, **added))
    return {"facts": facts, "benchmarks": benchmarks, "scores": scores}


def rest_of(added):
    """The order of results that are equal otherwise; unknown last."""
    return [(value is None, value or 0) for value in (added["source_url"], added["stderr"], added["n"])]


def livebench(folder, day):
    table, listed = sorted(os.listdir(folder))[::-1]
    header, *lines = [line.split(",") for line in text_of(folder, table).splitlines() if line.strip()]
    categories = json_of(folder, listed)
    benchmarks = [benchmark("livebench/" + name.lower().replace(" ", "-"), f"LiveBench: {name}", name.lower()) for name in categories]
    benchmarks.append(benchmark("livebench/overall", "LiveBench", "overall"))
    scores = []
    for line in lines:
        if len(line) != len(header):
            continue
        tasks = dict(zip(header, line))
        added = {"reported_by": "evaluator", "source_url": "https://livebench.ai"}
        means = {name: sum(float(tasks[task]) for task in of) / len(of) for name, of in categories.items()}
        for name, mean in means.items():
            scores.append(score(line[0], "livebench/" + name.lower().replace(" ", "-"), mean, "livebench", **added))
        scores.append(score(line[0], "livebench/overall", sum(means.values()) / len(means), "livebench", **added))
    return {"facts": [fact(line[0]) for line in lines], "benchmarks": benchmarks, "scores": scores}


# Artificial Analysis: names of evaluations.
EVALUATIONS = {
    "artificial_analysis_intelligence_index": ("Artificial Analysis Intelligence Index", "index"),
    "artificial_analysis_coding_index": ("Artificial Analysis Coding Index", "index"),
    "artificial_analysis_math_index": ("Artificial Analysis Math Index", "index"),
    "aime": ("AIME", "mathematics"),
    "aime_25": ("AIME 2025", "mathematics"),
    "gpqa": ("GPQA Diamond", "science"),
    "hle": ("Humanity's Last Exam", "knowledge"),
    "ifbench": ("IFBench", "instruction following"),
    "lcr": ("AA-LCR (long context reasoning)", "long context"),
    "livecodebench": ("LiveCodeBench", "coding"),
    "math_500": ("MATH-500", "mathematics"),
    "mmlu_pro": ("MMLU-Pro", "knowledge"),
    "scicode": ("SciCode", "coding"),
    "tau2": ("τ²-Bench", "agents"),
    "terminalbench_hard": ("Terminal-Bench Hard", "agents"),
}


def artificial_analysis(folder, day):
    document = json_of(folder, "llms.json")
    facts, prices, scores, found = [], [], [], set()
    for entry in document["data"]:
        id = entry["slug"]
        facts.append(fact(id, clean(entry["name"]), clean(entry["model_creator"]["name"]), whole_date(entry["release_date"])))
        pair = [entry["pricing"][f"price_1m_{side}_tokens"] for side in ("input", "output")]
        if any(pair):
            rates = [rate(meter, amount) for meter, amount in zip(("input", "output"), pair) if amount is not None]
            prices.append(price(id, "artificial-analysis", *pair, rates=rates))
        for evaluation, result in entry["evaluations"].items():
            if result is not None:
                found.add(evaluation)
                scores.append(score(id, f"artificial-analysis/{evaluation}", float(result), "artificial-analysis", reported_by="evaluator"))
    benchmarks = [benchmark(f"artificial-analysis/{name}", *EVALUATIONS.get(name, (name.replace("_", " "), None))) for name in found]
    return {"facts": facts, "benchmarks": benchmarks, "scores": scores, "pricing": prices}


UPSTREAMS = {
    "artificial-analysis": artificial_analysis,
    "epoch": epoch,
    "genai-prices": genai_prices,
    "litellm": litellm,
    "livebench": livebench,
    "lmarena": lmarena,
    "models-dev": models_dev,
    "openrouter": openrouter,
}
PRICE_MAX = {"litellm": 1000, "public": 1000}

# sources/public: the combined upstreams, in order of precedence.
JOINED = ["models-dev", "openrouter", "epoch", "genai-prices", "litellm", "lmarena", "livebench"]
JOINED_PRICES = ["openrouter", "models-dev", "genai-prices", "litellm"]
ALIASES = os.path.join(os.path.dirname(__file__), "..", "sources", "public", "aliases.csv")


def load_aliases():
    with open(ALIASES, encoding="utf-8", newline="") as file:
        return {(row["upstream"], row["id"]): row["model_id"] for row in csv.DictReader(file)}


def joined_name(upstream, id, provider):
    """The namespace and name: models.dev, genai-prices and LiteLLM use OpenRouter's ids unchanged."""
    if upstream == "openrouter" or (upstream == "genai-prices" and provider == "openrouter"):
        return "models-dev", id
    if upstream == "litellm" and id.startswith("openrouter/") and id.count("/") > 1:
        return "models-dev", id[len("openrouter/"):]
    return upstream, id


def public(root, day):
    """The newest day up to this one of each upstream, joined; without upstreams that have none."""
    aliases = load_aliases()

    def joined(upstream, id, provider=None):
        name = joined_name(upstream, id, provider)
        return name[1], aliases.get(name) or (name[1] if name[0] == "models-dev" else ":".join(name))

    rows = {"facts": [], "benchmarks": [], "scores": [], "rankings": [], "pricing": []}
    prices = {}
    for upstream in JOINED:
        days = [name for name in os.listdir(os.path.join(root, upstream)) if name <= day]
        if not days:
            continue
        newest = max(days)
        read = UPSTREAMS[upstream](os.path.join(root, upstream, newest), day)
        if upstream == "genai-prices":
            read["facts"] = [one for one in read["facts"] if one["serves"] != "openrouter" or "/" in one["id"]]
            read["pricing"] = [row for row in read["pricing"] if row["provider"] != "openrouter" or "/" in row["model_id"]]
        for one in read["facts"]:
            id, model_id = joined(upstream, one["id"], one["serves"])
            rows["facts"].append({**one, "id": id, "model_id": model_id, "step": JOINED.index(upstream), "upstream": upstream})
        for row in read.get("pricing", []):
            id, model_id = joined(upstream, row["model_id"], row["provider"])
            rank = (JOINED_PRICES.index(upstream), id != model_id, id)
            key = (model_id, row["provider"])
            if key not in prices or rank < prices[key][0]:
                prices[key] = (rank, {**row, "model_id": model_id, "source": upstream})
        rows["benchmarks"] += read.get("benchmarks", [])
        for dataset in ("scores", "rankings"):
            rows[dataset] += [{**row, "model_id": joined(upstream, row["model_id"])[1]} for row in read.get(dataset, [])]
    rows["pricing"] = [row for _, row in prices.values()]
    return rows


def is_plausible(upstream, row):
    amounts = (row["input_per_million"], row["output_per_million"])
    highest = PRICE_MAX.get(upstream, 10_000)
    return all(not amount or PRICE_MIN <= amount <= highest for amount in amounts)


def records_of(root, upstream, day):
    """The records of a day by dataset."""
    rows = public(root, day) if upstream == "public" else UPSTREAMS[upstream](os.path.join(root, upstream, day), day)
    if upstream != "public":
        rows["facts"] = [{**one, "upstream": upstream} for one in rows["facts"]]
        rows["pricing"] = [{**row, "source": upstream} for row in rows.get("pricing", [])]
    rows["models"] = models_from(rows.pop("facts"))
    counted = {}
    for row in rows.get("scores", []):
        counted[row["benchmark_id"]] = counted.get(row["benchmark_id"], 0) + 1
    for row in rows.get("benchmarks", []):
        row["model_count"] = counted.get(row["id"], 0)
    rows["pricing"] = [row for row in rows.get("pricing", []) if is_plausible(upstream, row)]
    return {dataset: in_order(dataset, rows.get(dataset, [])) for dataset in KEYS}


def in_order(dataset, rows):
    return sorted(rows, key=lambda row: [row[part].encode() for part in KEYS[dataset]])


def line_of(row):
    """A row as one line; whole numbers without a point, as in other languages."""
    plain = {k: int(v) if isinstance(v, float) and v.is_integer() else v for k, v in row.items()}
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")) + "\n"


def summary(records):
    hashes = {name: hashlib.sha256("".join(map(line_of, rows)).encode()).hexdigest() for name, rows in records.items()}
    return {name: {"rows": len(rows), "sha256": hashes[name]} for name, rows in records.items() if rows}


def main(root, *arguments):
    if arguments[:1] == ("--rows",):
        print(json.dumps(records_of(root, *arguments[1:]), ensure_ascii=False))
        return
    days = {name: sorted(os.listdir(os.path.join(root, name))) for name in UPSTREAMS}
    begun = max(days[name][0] for name in JOINED)
    days["public"] = sorted({day for name in JOINED for day in days[name] if day >= begun})
    print(json.dumps({name: {day: summary(records_of(root, name, day)) for day in of} for name, of in days.items()}, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
