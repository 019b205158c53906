"""Pictures: perspective, depth, light, transparency, and what stands in their way."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.refusal import refused

import multibody as mb
from multibody import library
from multibody.view import contact_sheet, picture
from multibody.view.render.painter import Painter, View
from multibody.view.render.studio import Studio, configurations
from multibody.view.render.surfaces import Triangles, corner_normals
from multibody.view.scenes.build import scene
from multibody.view.scenes.camera import FIELD, Camera
from multibody.view.scenes.placement import rotation_matrices
from multibody.view.scenes.scene import ModelNumbers
from multibody.view.scenes.triangles import Surface, ball, box, rod

RED, GREEN, BLUE = (1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1)


def painter(size=(200, 160), eye=(0, 0, 10), target=(0, 0, 0), up=(0, 1, 0)) -> Painter:
    """Looks at the origin from z, without a ground."""
    camera = Camera(*(np.array(one, dtype=float) for one in (eye, target, up)))
    return Painter(View(camera, size, np.zeros(3), 3.0, None))


def triangles(*surfaces) -> Triangles:
    """Parts with colours."""
    corners = [part.vertices[part.faces] for part, _ in surfaces]
    normals = [corner_normals(part) for part, _ in surfaces]
    colours = [np.tile(colour, (len(part.faces), 1)) for part, colour in surfaces]
    return Triangles(*(np.concatenate(one).astype(float) for one in (corners, normals, colours)))


def at(part: Surface, *position) -> Surface:
    return part.moved(np.eye(3), position)


def mostly(image, channel):
    """Where one colour is by far the strongest."""
    others = [k for k in range(3) if k != channel]
    return (image[..., channel].astype(int) - image[..., others].max(axis=-1)) > 40


# geometry ------------------------------------------------------------------------------------------------------------


def test_a_sphere_is_where_perspective_says_and_as_large():
    image = painter().paint(triangles((at(ball(1.0), 1.5, 1.0, 0.0), RED)))
    rows, columns = np.nonzero(mostly(image, 0))
    scale = 80 / np.tan(FIELD / 2)  # pixels for a slope of one
    assert columns.mean() == pytest.approx(99.5 + 0.15 * scale, abs=1.5)
    assert rows.mean() == pytest.approx(79.5 - 0.10 * scale, abs=1.5)
    assert len(rows) == pytest.approx(np.pi * (0.1 * scale) ** 2, rel=0.06)


def test_a_square_covers_its_pixels_exactly():
    scale = 160 / np.tan(FIELD / 2)  # of samples
    half = 40 / scale * 10
    square = Surface(
        np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * half, np.array([[0, 1, 2], [0, 2, 3]])
    )
    image = painter().paint(triangles((square, BLUE)))
    seen = mostly(image, 2)
    assert seen.sum() == 40 * 40
    assert seen[60:100, 80:120].all()


@pytest.mark.parametrize("order", [1, -1])
def test_what_is_nearer_hides_what_is_behind(order):
    near, far = (at(box(1, 1, 1), 0, 0, 2), RED), (at(box(2, 2, 1), 0, 0, -2), GREEN)
    image = painter().paint(triangles(*[near, far][::order]))
    assert mostly(image, 0)[80, 100]
    assert not mostly(image, 1)[80, 100]
    assert mostly(image, 1).sum() > 200


def test_boxes_that_cross_are_cut_where_they_cross():
    one, other = box(2, 0.2, 2).moved(turn(0.5)), box(2, 0.2, 2).moved(turn(-0.5))
    image = painter().paint(triangles((one, RED), (other, BLUE)))
    left, right = image[80, 85], image[80, 114]
    assert (left[0] > left[2]) != (right[0] > right[2])  # each is in front on one side


def turn(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def test_what_reaches_behind_the_eye_is_cut_and_not_lost():
    floor = Surface(
        np.array([[-50, -1, -60], [50, -1, -60], [50, -1, 60], [-50, -1, 60.0]]), np.array([[0, 2, 1], [0, 3, 2]])
    )
    image = painter(eye=(0, 1, 10), target=(0, 0, 0)).paint(triangles((floor, GREEN)))
    green = mostly(image, 1)
    assert green[100:].all()
    assert not green[:20].any()
    behind = painter().paint(triangles((at(ball(1), 0, 0, 20), RED)))
    assert not mostly(behind, 0).any()


@pytest.mark.parametrize("far", [1e12, 1e30, 1e300, np.inf, np.nan])
def test_triangles_without_measure_do_no_harm(far):
    corners = np.array([[-1, -1, 0], [far, 0, 0], [0, far, 0.0], [0, 0, -far]])
    wild = Surface(corners, np.array([[0, 1, 2], [0, 2, 3], [1, 2, 3], [0, 1, 3]]))
    with np.errstate(all="ignore"):
        normals = np.tile([0.0, 0.0, 1.0], (4, 3, 1))
        wild_ones = Triangles(corners[wild.faces], normals, np.tile(GREEN, (4, 1)).astype(float))
        both = Triangles(*(np.concatenate(one) for one in zip(triangles((box(1, 1, 1), RED)), wild_ones, strict=True)))
        image = painter().paint(both)
    assert image.shape == (160, 200, 3)


def test_edges_are_smooth():
    image = painter().paint(triangles((box(2, 2, 2).moved(turn_z(0.3)), RED)))
    reds = image[..., 1].astype(int)
    assert len(np.unique(reds[40:120, 60:140])) > 5  # pixels on the edge are between the box and the background


def turn_z(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


# light ---------------------------------------------------------------------------------------------------------------


def test_half_a_colour_lets_half_of_what_is_behind_through():
    behind, glass = (at(box(4, 4, 0.1), 0, 0, -1), BLUE), at(box(1, 1, 0.001), 0, 0, 1)
    back = painter().paint(triangles(behind))[80, 100]
    clear, half, solid = (painter().paint(triangles(behind, (glass, (1, 0, 0, a))))[80, 100] for a in (0.0, 0.5, 1.0))
    assert clear.tolist() == back.tolist()
    assert solid[0] > 150 > solid[2]
    light = (half / 255.0) ** 2.2
    expected = 0.25 * (back / 255.0) ** 2.2 + 0.75 * (solid / 255.0) ** 2.2  # the front of the box and its back
    assert light == pytest.approx(expected, abs=0.03)


def test_a_roof_throws_a_shadow():
    ground, roof = (at(box(6, 0.1, 6), 0, -1.5, 0), (0.9, 0.9, 0.9, 1)), (at(box(1, 0.1, 1), 0, 1, 0), RED)
    eye = {"eye": (0, 6, 9), "target": (0, -0.5, 0)}
    bare, shaded = (painter(**eye).paint(triangles(*what)) for what in ([ground], [ground, roof]))
    darker = (bare.astype(int) - shaded).sum(axis=-1) > 60
    assert (darker & ~mostly(shaded, 0)).sum() > 150


def test_surfaces_are_bright_towards_the_light_and_never_black():
    image = painter().paint(triangles((ball(2.0), (0.5, 0.5, 0.5, 1))))
    disc = image[:, :, 0][np.hypot(*np.meshgrid(np.arange(200) - 99.5, np.arange(160) - 79.5)) < 40]
    assert disc.max() > 1.5 * disc.min()
    assert disc.min() > 40


# normals -------------------------------------------------------------------------------------------------------------


def test_normals_of_a_ball_are_radial():
    part = ball(2.0)
    assert corner_normals(part) == pytest.approx(part.vertices[part.faces] / 2, abs=0.02)


def test_normals_of_a_box_are_those_of_its_faces():
    normals = corner_normals(box(1, 2, 3))
    assert np.abs(normals).max(axis=-1) == pytest.approx(np.ones((12, 3)))
    assert normals[:, 0] == pytest.approx(normals[:, 1])


def test_normals_of_a_cylinder_are_sharp_at_its_rims_and_smooth_around():
    part = rod(1.0, 2.0)
    normals, corners = corner_normals(part), part.vertices[part.faces]
    caps = np.abs(np.ptp(corners[..., 2], axis=1)) < 1e-9
    assert np.abs(normals[caps][..., 2]) == pytest.approx(1)
    assert normals[~caps][..., :2] == pytest.approx(corners[~caps][..., :2], abs=0.03)


def test_vertices_that_are_there_twice_count_as_one():
    part = ball(1.0)
    loose = Surface(part.vertices[part.faces].reshape(-1, 3), np.arange(3 * len(part.faces)).reshape(-1, 3), None, True)
    assert corner_normals(loose) == pytest.approx(corner_normals(part), abs=1e-12)


def test_triangles_without_area_have_a_normal_too():
    part = Surface(np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0.0]]), np.array([[0, 1, 2], [0, 0, 0]]))
    assert np.linalg.norm(corner_normals(part), axis=-1) == pytest.approx(1)


# pictures of systems -------------------------------------------------------------------------------------------------


def pendulum() -> mb.System:
    system = mb.System("pendulum")
    bob = system.body("bob", 1, (0, 0, -1))
    system.joint("angle", system.world, bob, "Ry", 0.3)
    system.draw(bob, mb.Sphere(0.2, colour="#ff0000"), position=(0, 0, -1))
    return system


VIEW = {"camera": ((0, -8, 0), (0, 0, 0)), "size": (120, 120), "layers": ["drawings"]}


@pytest.mark.parametrize("angle", [0.0, 1.0, -2.0, np.pi])
def test_bodies_are_drawn_where_they_are(angle):
    rows, columns = np.nonzero(mostly(picture(pendulum(), q=[angle], **VIEW), 0))
    scale = 60 / np.tan(FIELD / 2) / 8
    assert columns.mean() == pytest.approx(59.5 - np.sin(angle) * scale, abs=1)
    assert rows.mean() == pytest.approx(59.5 + np.cos(angle) * scale, abs=1)
    assert (picture(pendulum(), q={"angle": angle}, **VIEW) == picture(pendulum(), q=[angle], **VIEW)).all()


def test_configurations_are_given_by_name_as_well():
    rows = configurations(pendulum().freeze(), [{"angle": 0.5}, {}, {"angle": -1.0}])
    start = configurations(pendulum().freeze(), None)[0, 0]
    assert rows.tolist() == [[0.5], [start], [-1.0]]


def test_a_picture_with_other_parameters():
    """A rod that is longer with respect to its ball makes a smaller ball in a picture of all of it."""
    system = mb.System("pendulum")
    length = system.parameter("l", 1.0)
    bob = system.body("bob", 1, (0, 0, -length))
    system.joint("angle", system.world, bob, "Ry")
    system.draw(bob, mb.Sphere(0.3, colour="red"), position=(0, 0, -length))
    system.draw(system.world, mb.Sphere(0.1, colour="blue"))
    view = {"size": (120, 90), "layers": ["drawings"]}
    small, large = (mostly(picture(system, parameters={"l": l}, **view), 0).sum() for l in (4.0, 1.0))
    assert 0 < 4 * small < large
    run = mb.simulate(mb.derive(system), 0.1, samples=2, parameters={"l": 4.0})
    assert mostly(picture(run, **view), 0).sum() == small
    with refused("parameters-given-twice"):
        picture(run, parameters={"l": 1.0})


def test_several_configurations_are_drawn_with_the_last_one_on_top():
    image = picture(pendulum(), q=[[0.0], [1.0], [2.0]], **VIEW)
    scale = 60 / np.tan(FIELD / 2) / 8
    reds = [image[round(59.5 + np.cos(a) * scale), round(59.5 - np.sin(a) * scale)].astype(int) for a in (0, 1, 2)]
    strength = [red[0] - red[1] for red in reds]
    assert 20 < strength[0] < strength[1] < strength[2]


def test_a_moment_of_a_run():
    run = mb.simulate(mb.derive(pendulum()), duration=2.0)
    (q,) = run.at(1.3).q
    assert (picture(run, t=1.3, **VIEW) == picture(pendulum(), q=[q], **VIEW)).all()
    several = picture(pendulum(), run=run, t=[0.0, 0.65, 1.3], **VIEW)
    assert (several == picture(pendulum(), q=run.at([0.0, 0.65, 1.3]).q, **VIEW)).all()


def test_open_loops_are_closed_before_they_are_drawn():
    system = library.four_bar()
    model, joint = system.freeze(), system["q3"]
    (row,) = configurations(model, {"q1": 1.1})
    seen = scene(system)
    poses, names = seen.poses(0.0, row), [place.name for place in seen.places]
    ends = []
    for frame in (joint.parent, joint.child):
        k = names.index(frame.body.name)
        local = ModelNumbers(model).point(frame.pose.position)
        ends.append(poses.position[k] + rotation_matrices(poses.quaternion[k]) @ local)
    assert ends[0] == pytest.approx(ends[1], abs=1e-10)
    assert row[0] == pytest.approx(1.1)
    assert (picture(system, q={"q1": 1.1}, size=(60, 40)) == picture(system, q=row, size=(60, 40))).all()


def test_all_of_the_library_can_be_drawn():
    for name in ("heavy_top", "andrews", "rolling_disc", "stewart_platform"):
        image = picture(getattr(library, name)(), size=(90, 60))
        assert image.shape == (60, 90, 3)
        assert image.std() > 8, name  # there is something to be seen


def test_layers_can_be_chosen():
    system = pendulum()
    view = {"size": (90, 60), "camera": (0, -1, 0.2)}
    shown = {layers: picture(system, layers=layers, **view) for layers in ("skeleton", "drawings")}
    assert mostly(shown["drawings"], 0).sum() > 50
    assert mostly(shown["skeleton"], 0).sum() == 0
    with refused("name-unknown", "skeletton"):
        picture(system, layers=["skeletton"])


# files and sheets ----------------------------------------------------------------------------------------------------


def test_a_file_holds_the_same_picture_and_is_not_replaced(tmp_path):
    path = tmp_path / "pendulum.png"
    image = picture(pendulum(), path, **VIEW)
    assert (np.asarray(Image.open(path)) == image).all()
    before = path.read_bytes()
    with refused("file-exists"):
        picture(pendulum(), path, **VIEW)
    assert path.read_bytes() == before
    picture(pendulum(), path, q=[2.0], overwrite=True, **VIEW)
    assert path.read_bytes() != before
    assert [one.name for one in tmp_path.iterdir()] == ["pendulum.png"]


def test_a_file_of_an_unknown_kind_or_in_no_folder_is_refused(tmp_path):
    with refused("file-kind-unknown", ".bmp"):
        picture(pendulum(), tmp_path / "a.bmp", **VIEW)
    with refused("file-not-writable"):
        picture(pendulum(), tmp_path / "none" / "a.png", **VIEW)
    assert not list(tmp_path.iterdir())


def test_a_contact_sheet_has_every_picture_in_its_place(tmp_path):
    shots = [np.full((20, 30, 3), k, dtype=np.uint8) for k in range(0, 100, 20)]
    sheet = contact_sheet(shots, 3, gap=4)
    assert sheet.shape == (4 + 2 * 24, 4 + 3 * 34, 3)
    for k in range(5):
        y, x = 4 + k // 3 * 24, 4 + k % 3 * 34
        assert (sheet[y : y + 20, x : x + 30] == 20 * k).all()
    titled = contact_sheet(shots, 3, [f"{k} s" for k in range(5)], path=str(tmp_path / "sheet.png"))
    assert len(titled) > len(sheet)
    with refused("pictures-do-not-fit"):
        contact_sheet([shots[0], shots[1][:5]])
    with refused("pictures-do-not-fit"):
        contact_sheet(shots, titles=["one"])


@pytest.mark.parametrize(
    ("options", "code", "named"),
    [
        ({"size": (0, 100)}, "picture-size-invalid", ""),
        ({"size": (100000, 100000)}, "picture-size-invalid", ""),
        ({"size": (10.5, 20)}, "picture-size-invalid", ""),
        ({"camera": (0, 0, 0)}, "camera-invalid", ""),
        ({"camera": "above"}, "camera-invalid", ""),
        ({"camera": ((1, 1, 1), (1, 1, 1))}, "camera-invalid", ""),
        ({"camera": (np.nan, 0, 1)}, "camera-invalid", ""),
        ({"q": [1.0, 2.0]}, "start-value-invalid", "1"),
        ({"q": {"angel": 1.0}}, "start-value-unknown", "'angel'"),
        ({"q": []}, "start-value-invalid", "1"),
        ({"q": np.zeros((0, 1))}, "configuration-missing", ""),
        ({"q": [[1.0], [2.0]], "t": [0.0, 1.0, 2.0]}, "times-do-not-fit", "3"),
        ({"q": [[1.0], [2.0, 3.0]]}, "start-value-invalid", "1"),
        ({"t": "now"}, "time-invalid", "'now'"),
        ({"t": []}, "time-invalid", ""),
        ({"t": [[0.0, 1.0]]}, "time-invalid", ""),
        ({"camera": ((3, 0, 0), (0, 0, 0), (0, 0, 0))}, "camera-invalid", ""),
        ({"layers": 5}, "name-unknown", "5"),
        ({"path": 5}, "file-name-invalid", "5"),
        ({"path": "pendulum.bmp", "q": [1.0, 2.0]}, "file-kind-unknown", "'.bmp'"),  # before it is computed
        ({"parameters": 5}, "parameters-not-by-name", "5"),
        ({"parameters": {"length": 5.0}}, "value-missing", "'length'"),
    ],
)
def test_what_cannot_be_drawn_is_told(options, code, named):
    with refused(code, named):
        picture(pendulum(), **options)


def test_bodies_that_are_nowhere_are_told():
    seen = scene(pendulum())
    with refused("pose-not-finite"):
        Studio(seen, seen.poses(0.0, [np.nan]), (60, 40))


def test_a_run_of_another_system_is_refused():
    run = mb.simulate(mb.derive(pendulum()), duration=0.1)
    with refused("run-of-another-system"):
        picture(library.crane_crab(), run=run)


def test_a_studio_can_be_used_again_and_again():
    seen = scene(pendulum())
    poses = seen.poses(0.0, np.array([[0.0], [1.0]]))
    studio = Studio(seen, poses, (60, 40))
    first, second = (studio.picture(seen.poses(0.0, [a])) for a in (0.0, 1.0))
    assert (first != second).any()
    assert (studio.picture(seen.poses(0.0, [0.0])) == first).all()


# gallery -------------------------------------------------------------------------------------------------------------


def test_a_robot_with_its_meshes(tmp_path):
    gallery = runpy.run_path(str(Path(__file__).resolve().parents[2] / "examples" / "gallery_pictures.py"))
    robot = gallery["robot"]("panda_description/urdf/panda.urdf")
    assert scene(robot).messages == ()
    gallery["panda"](tmp_path / "panda.png")
    image = np.asarray(Image.open(tmp_path / "panda.png")).astype(int)
    assert image.shape == (720, 720, 3)
    assert 0.005 < (image.max(axis=-1) < 90).mean() < 0.1  # its black joints and fingers
