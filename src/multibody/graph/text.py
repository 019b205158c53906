def to_text(e):
    if e.op=='const': return str(e.value)
    if e.op=='symbol': return e.name
    return e.op+'('+', '.join(map(to_text,e.args))+')'
