"""Costs that LiteLLM computes with the map that it loaded by its own setting, LITELLM_MODEL_COST_MAP_URL.

Reads requests as JSON: {model, prompt, completion, cached, written, batch, tier}; prompt includes what is cached and written.
"""

import json
import sys

import litellm
from litellm import ModelResponse, Usage


def cost_of(request):
    usage = Usage(
        prompt_tokens=request["prompt"],
        completion_tokens=request["completion"],
        total_tokens=request["prompt"] + request["completion"],
        cache_read_input_tokens=request["cached"] or None,
        cache_creation_input_tokens=request["written"] or None,
    )
    response = ModelResponse(model=request["model"], usage=usage)
    try:
        return litellm.completion_cost(
            model=request["model"],
            completion_response=response,
            call_type="aretrieve_batch" if request["batch"] else "completion",
            service_tier=request["tier"],
        )
    except Exception as error:
        return f"{type(error).__name__}: {error}"


litellm.suppress_debug_info = True
requests = json.load(sys.stdin)
costs = [cost_of(request) for request in requests]
# The last line: LiteLLM prints others.
print(json.dumps({"models": len(litellm.model_cost), "costs": costs}))
