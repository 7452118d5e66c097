async def test_smoke(hq):
    made = await hq.do("org.create", template="software-team")
    print(made)
    doc = (await hq.do("org.export"))["document"]
    print(doc)
    print((await hq.do("org.tree"))["tree"])
    print(await hq.do("org.validate", document=doc))
    print(await hq.do("org.import", document=doc, preview=True))
    out = await hq.call("org.import", document=doc)
    print(out)
    other = await hq.tenant()
    print(await hq.do("org.import", document=doc, _token=other))
    assert (await hq.do("org.export", _token=other))["document"] == doc
    print(await hq.do("org.whoami", persona_slug="pm-gavin-3"))
    print(await hq.do("org.status"))
    e = await hq.do("org.create", template="economy")
    print((await hq.do("org.export", org="Economy"))["document"])
