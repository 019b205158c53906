"""Whether this llvmlite makes machine code of all shipped loops, for x86-64 and AArch64: ``python loops.py WHEEL``.

Nothing but llvmlite is needed.
"""

from __future__ import annotations

import lzma
import sys
import zipfile

import llvmlite
import llvmlite.binding as llvm

TRIPLES = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")


def main(wheel: str) -> None:
    """Parse, verify and translate each of them."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    with zipfile.ZipFile(wheel) as files:
        texts = {name: lzma.decompress(files.read(name)).decode() for name in files.namelist() if ".ll.xz" in name}
    assert len(texts) >= 4
    for name, text in texts.items():
        for triple in TRIPLES:
            module = llvm.parse_assembly(text)
            module.verify()
            machine = llvm.Target.from_triple(triple).create_target_machine(opt=2)
            module.triple, module.data_layout = triple, str(machine.target_data)
            assert len(machine.emit_object(module)) > 2000, name
    print(f"llvmlite {llvmlite.__version__}: {len(texts)} loops")


if __name__ == "__main__":
    main(sys.argv[1])
