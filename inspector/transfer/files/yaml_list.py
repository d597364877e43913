"""Items of a list in a YAML document, each as a value. Only one item is in memory at a time."""

from collections.abc import Collection, Iterator
from typing import Any, BinaryIO

import yaml
from yaml.composer import Composer
from yaml.constructor import ConstructorError, SafeConstructor
from yaml.cyaml import CParser  # type: ignore[attr-defined]
from yaml.resolver import Resolver

from inspector.transfer.entries import BrokenFile

MERGE_TAG = "tag:yaml.org,2002:merge"
NO_LIST = "the document has no such list"


class _PartLoader(Composer, CParser, SafeConstructor, Resolver):
    """libyaml's parser below PyYAML's composer: the one is fast, the other can compose a part."""

    def __init__(self, stream: BinaryIO) -> None:
        CParser.__init__(self, stream)
        Composer.__init__(self)
        SafeConstructor.__init__(self)
        Resolver.__init__(self)

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        # A merge of merges doubles with each line; no program writes any.
        if any(name.tag == MERGE_TAG for name, _ in node.value):
            raise ConstructorError(None, None, "keys are merged here", node.start_mark)


def yaml_items(stream: BinaryIO, names: Collection[str]) -> Iterator[Any]:
    """Items of the first list under one of the names in the mapping. Raises ``BrokenFile``."""
    loader = _PartLoader(stream)
    try:
        _enter_list(loader, names)
        while not loader.check_event(yaml.SequenceEndEvent):
            yield loader.construct_document(loader.compose_node(None, 0))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BrokenFile(f"this is no YAML: {' '.join(str(error).split())[:200]}") from error
    finally:
        loader.dispose()


def _enter_list(loader: _PartLoader, names: Collection[str]) -> None:
    for kind in (yaml.StreamStartEvent, yaml.DocumentStartEvent, yaml.MappingStartEvent):
        if not loader.check_event(kind):
            raise BrokenFile(NO_LIST)
        loader.get_event()
    while not loader.check_event(yaml.MappingEndEvent):
        name = loader.compose_node(None, 0)
        if name is not None and name.value in names and loader.check_event(yaml.SequenceStartEvent):
            loader.get_event()
            return
        loader.compose_node(None, 0)
    raise BrokenFile(NO_LIST)
