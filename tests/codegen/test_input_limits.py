"""Limits of inputs in exported code: FMUs hold them as runs do, other code says that the caller must keep them."""

from xml.etree import ElementTree
from zipfile import ZipFile

import fmpy
import numpy as np
import pytest

import multibody as mb


def cart(low=1.0, high=3.0):
    """2 kg on a rail, pushed by a force within limits."""
    system = mb.System("cart")
    slide = system.joint("x", system.world, system.body("box", mass=2), "Tx")
    system.load(mb.JointLoad(slide, system.input("F", unit="N", description="push", limits=(low, high))))
    return mb.derive(system)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_an_fmu_holds_an_input_within_its_limits(version, kind, tmp_path, capfd):
    """2·v = ∫F dt: with 9 N asked for, with nothing asked for (1 N is nearest to zero), and with -9 N."""
    eom, fmu = cart(), str(tmp_path / "cart.fmu")
    mb.write_fmu(eom, fmu, mb.Fmi(version=version))
    for start, force in (({"F": 9.0}, 3.0), ({}, 1.0), ({"F": -9.0}, 1.0)):
        result = fmpy.simulate_fmu(fmu, stop_time=1.0, start_values=start, output=["x_dot"], fmi_type=kind)
        assert result["x_dot"][-1] == pytest.approx(force / 2, rel=1e-6)
        assert mb.simulate(eom, 1.0, inputs=start or {"F": 0.0})["x_dot"][-1] == pytest.approx(force / 2, rel=1e-9)
        assert ("held within its limits" in capfd.readouterr().out) == bool(start)


def test_an_fmu_holds_an_input_between_communication_points(tmp_path):
    """F = 2 + 4·t, by its derivative, is held at 3 from 0.25 s on: ∫F dt over 1 s is 0.625 + 2.25."""
    fmu = str(tmp_path / "cart.fmu")
    mb.write_fmu(cart(), fmu, mb.Fmi(version=2))
    description = fmpy.read_model_description(fmu)
    numbers = {one.name: one.valueReference for one in description.modelVariables}
    unit = fmpy.fmi2.FMU2Slave(
        guid=description.guid, unzipDirectory=fmpy.extract(fmu),
        modelIdentifier=description.coSimulation.modelIdentifier, instanceName="cart",
    )  # fmt: skip
    unit.instantiate()
    unit.setupExperiment(startTime=0.0)
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    unit.setReal([numbers["F"]], [2.0])
    unit.setRealInputDerivatives([numbers["F"]], [1], [4.0])
    unit.doStep(0.0, 1.0)
    assert unit.getReal([numbers["x_dot"]])[0] == pytest.approx((0.625 + 2.25) / 2, rel=1e-4)
    unit.terminate()
    unit.freeInstance()


def test_an_fmu_refuses_a_prescribed_motion_beyond_its_limits(tmp_path, capfd):
    system = mb.System("lift")
    reference = system.input("z", limits=(0.0, 1.0))
    system.joint("lift", system.world, system.body("cabin", mass=2), "Tz", prescribed=reference)
    system.joint("free", system.world, system.body("other", mass=1), "Tx")
    fmu = str(tmp_path / "lift.fmu")
    mb.write_fmu(mb.derive(system), fmu)
    fmpy.simulate_fmu(fmu, stop_time=0.1, start_values={"z": 0.5})
    with pytest.raises(fmpy.fmi1.FMICallException):
        fmpy.simulate_fmu(fmu, stop_time=0.1, start_values={"z": 1.5})
    assert "beyond its limits [0, 1]" in capfd.readouterr().out


def test_the_description_states_limits_that_are_finite(tmp_path):
    fmu = tmp_path / "cart.fmu"
    mb.write_fmu(cart(-2.0, np.inf), fmu)
    with ZipFile(fmu) as files:
        tree = ElementTree.fromstring(files.read("modelDescription.xml"))
    (force,) = (one for one in tree.iter() if one.get("name") == "F")
    assert (force.get("min"), force.get("max")) == ("-2.0", None)


@pytest.mark.parametrize("target", [mb.C(), mb.Cpp(), mb.Python(), mb.Rust(), mb.Matlab(), mb.Jax()], ids=str)
def test_other_code_says_that_the_caller_keeps_the_limits(target, tmp_path):
    mb.export(cart(), target, tmp_path)
    text = "".join(one.read_text() for one in tmp_path.rglob("*") if one.is_file())
    assert "[N] push (limits 1 to 3: to be kept by the caller)" in text


def test_modelica_declares_limits(tmp_path):
    mb.export(cart(), mb.Modelica(), tmp_path)
    (text,) = (one.read_text() for one in tmp_path.rglob("*.mo"))
    assert 'input Real F(unit="N", min=1.0, max=3.0, start=0.0) "push";' in text
